-- The vaults that are in a list. No run reads another one, unless it is named. The other files of this folder read this as
-- `listed`.
select distinct chain_id, vault_address
from core.vaults
where is_current
