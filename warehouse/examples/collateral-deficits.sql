-- Who lacks collateral at the target health factor, and in which token is it made good with the least?
-- Asked by the desk that tops up.
--
--     $target = 1.2  health factor to be kept; one that was asked for (1.2 is the service's default)
--
-- lacking_usd is positive. The same deficit differs between tokens, since each counts at its discount factor.
-- Only subaccounts with debt are asked about. read_at is when the figure was first read as it stands.
with

excess as (
    select
        subaccount_address,
        chain_id,
        token_address,
        target_health_factor,
        amount_usd,
        token_amount,
        valid_from
    from core.collateral_excess
    where is_current and amount_usd < 0
),

tokens as (
    select
        chain_id,
        token_address,
        max(symbol) as symbol
    from core.discount_factors
    where is_current
    group by chain_id, token_address
),

ranked as (
    select
        subaccount_address,
        chain_id,
        token_address,
        -amount_usd as lacking_usd,
        -token_amount as lacking_tokens,
        valid_from,
        count(*) over (partition by subaccount_address) as tokens_asked,
        row_number() over (
            partition by subaccount_address order by amount_usd desc, chain_id, token_address
        ) as place
    from excess
    where target_health_factor = $target::double
)

select
    ranked.subaccount_address,
    tokens.symbol,
    ranked.chain_id,
    ranked.lacking_usd,
    ranked.lacking_tokens,
    ranked.tokens_asked,
    ranked.valid_from as read_at
from ranked
left join tokens
    on
        ranked.chain_id = tokens.chain_id
        and ranked.token_address = tokens.token_address
where ranked.place = 1
order by ranked.lacking_usd desc, ranked.subaccount_address
