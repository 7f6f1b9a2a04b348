-- Which subaccounts lack collateral at the target health factor, and which token closes the deficit most cheaply?
-- For the desk that tops up.
--
--     target: health factor to be kept; one that was requested (1.2 is the service's default); 1.2 unless it is set
--
-- lacking_usd is positive. The same deficit differs between tokens, since each counts at its discount factor.
-- Only subaccounts with debt are requested: one that has no debt by a newer figure has no row. read_at is when the
-- service last responded, since_at since when it has reported this figure.
with

deficits as (
    select
        subaccount_address,
        name,
        chain_id,
        token_address,
        symbol,
        amount_usd,
        token_amount,
        read_at,
        since_at
    from mart.collateral_excess
    where amount_usd < 0 and target_health_factor = coalesce(getvariable('target'), 1.2)::double
),

ranked as (
    select
        subaccount_address,
        name,
        chain_id,
        symbol,
        -amount_usd as lacking_usd,
        -token_amount as lacking_tokens,
        read_at,
        since_at,
        count(*) over (partition by subaccount_address) as tokens_asked,
        row_number() over (
            partition by subaccount_address order by amount_usd desc, chain_id, token_address
        ) as place
    from deficits
)

select
    subaccount_address,
    name,
    symbol,
    chain_id,
    lacking_usd,
    lacking_tokens,
    tokens_asked,
    read_at,
    since_at
from ranked
where place = 1
order by lacking_usd desc, subaccount_address
