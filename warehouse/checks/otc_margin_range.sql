select
    requirement_id,
    otc_counterparty_id,
    payer_address,
    required,
    posted,
    valid_from
from core.otc_margin_requirements
where is_current and _updated_at >= $since and (required < 0 or posted < 0)
