select
    vault_address,
    day,
    flow
from mart.vault_flows
