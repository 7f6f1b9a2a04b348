-- Tokens with a discount-factor ladder.
select distinct
    chain_id,
    token_address,
    token_address_wire as wire_address
from core.discount_factors
where is_current
order by all
