-- §2.3 leaves the bounds open: 1.2 is the least factor held to be healthy enough, and critical begins below 1.0, so that
-- a bound belongs to the milder band; healthy is above 1.5.
select * from (
    values
        ('healthy', 1.5, null, null, null),
        ('moderate', null, 1.2, 1.5, null),
        ('high risk', null, 1.0, null, 1.2),
        ('critical', null, null, null, 1.0)
) as declared (band, above, at_least, up_to, below)
