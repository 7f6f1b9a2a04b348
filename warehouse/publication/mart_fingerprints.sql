-- The marts and fingerprints of how each is made, for the stored marts.
select
    substr(name, len('mart.') + 1) as name,
    fingerprint
from ops.view_fingerprints
where starts_with(name, 'mart.')
order by name
