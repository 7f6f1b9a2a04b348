-- Of a run that has ended: what Effect's queue keeps of it.
delete from queue
where queue_name = $1
