-- Which lenders hold tokens that they lend, and that earn nothing?
-- For a vault operator who looks for yield.
--
--     lender: address or name of a subaccount; every lender unless it is set
--
-- utilisation is what is lent over what is lent and held. apr_on_all is the yield on both, lender_apr that on what is
-- lent. Null where the lender's summary can't be read, or a loan has no principal.
select
    lender_name,
    lender_address,
    lender_vault_names,
    principal_token_symbol as token,
    chain_id,
    loans,
    lent_amount,
    idle_amount,
    utilisation,
    lender_apr,
    apr_on_all
from mart.loan_utilisation
where
    getvariable('lender')::varchar is null
    or getvariable('lender')::varchar in (lender_address, lender_name)
order by utilisation nulls last, lender_name, lender_address, token_id
