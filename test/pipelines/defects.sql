-- The variables of defects.yml.
set variable vault = (
    select vault_address
    from core.ratio_history
    semi join core.position_snapshots using (vault_address)
    semi join core.allocation_history using (vault_address)
    semi join core.pnl_history using (vault_address)
    group by vault_address
    order by count(*) desc, vault_address
    limit 1
);
set variable hour = (
    select quantile_disc(observed_at, 0.5)
    from core.ratio_history
    where vault_address = getvariable('vault')
);
set variable subaccount = (select min(subaccount_address) from core.health_factors);
