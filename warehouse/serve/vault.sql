-- One vault as it stands: every figure of mart.vault_latest.
select *
from mart.vault_latest
where chain_id = $chain_id and vault_address = $vault_address
