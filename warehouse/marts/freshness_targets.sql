select *
from (
    values
        ('ratio_history', 3),
        ('pnl_history', 3),
        ('positions', 3),
        ('apy_history', 48),
        ('allocation_history', 48),
        ('oracle_classification', 48),
        ('health_factors', 48),
        ('other', 48)
) as targets (pipeline, target_hours)
