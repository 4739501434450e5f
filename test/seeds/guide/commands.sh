# Test highstate without applying
salt '*' state.highstate test=True

# Show state execution plan
salt 'web*' state.show_sls webserver

# Debug specific state
salt-call state.single file.managed /tmp/test.txt contents="test" -l debug
# Test connectivity
salt '*' test.ping

# Debug state execution
salt-call state.single cmd.run name='echo test' -l debug

# View event bus
salt-run state.event pretty=True

# Check job history
salt-run jobs.list_jobs
salt-run jobs.lookup_jid 20230615123456789012

# Minion key management
salt-key -L
salt-key -a minion-id
salt-key -d minion-id

# Clear minion cache
salt '*' saltutil.clear_cache
salt '*' saltutil.sync_all
# Check minion logs
journalctl -u salt-minion -f

# Test connectivity
nc -zv salt-master.example.com 4505
nc -zv salt-master.example.com 4506

# Debug minion
salt-minion -l debug
# Profile state execution
salt '*' state.highstate --state-verbose=True --state-output=profile

# Check event queue
salt-run queue.process_queue

# Monitor master load
salt-run manage.status
