-- Which publication a reader sees, and figures of it that no rounding or order of a sum changes.
select concat_ws(
    ' ',
    (select max(run_id) from ops.publications),
    (select count(*) from core.ratio_history),
    (select sum((actual_tvl * 100)::bigint) from core.ratio_history),
    (select count(*) from core.ratio_history_versions),
    (select sum((unrealized_pnl * 100)::bigint) from core.pnl_history),
    (select count(*) from ops.tasks),
    (select count(collateral_ratio_close) from mart.vault_daily),
    (select sum((backing * 100)::bigint) from mart.vault_latest)
)
