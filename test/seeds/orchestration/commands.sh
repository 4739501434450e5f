salt-run state.orchestrate orch.deploy
salt-run state.orchestrate orch.deploy -l debug
salt-run state.event pretty=True
salt 'web01' event.send 'myapp/deploy/complete' '{"version": "1.4.2", "status": "ok"}'
