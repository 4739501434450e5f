# /srv/salt/_modules/deploy.py
import subprocess
import json
import time

def blue_green_switch(app_name, new_version, health_endpoint='/health'):
    """
    Perform blue-green deployment switch
    """
    ret = {
        'result': False,
        'comment': '',
        'changes': {}
    }
    
    # Determine current active environment
    current_env = __salt__['file.read']('/etc/active_env').strip()
    new_env = 'blue' if current_env == 'green' else 'green'
    
    # Deploy to inactive environment
    deploy_result = __salt__['cmd.run'](
        f'docker-compose -f /opt/{app_name}/{new_env}/docker-compose.yml up -d',
        env={'APP_VERSION': new_version}
    )
    
    # Health check
    for i in range(30):
        try:
            response = __salt__['http.query'](
                f'http://localhost:{8081 if new_env == "blue" else 8082}{health_endpoint}',
                status=True
            )
            if response['status'] == 200:
                break
        except:
            time.sleep(2)
    else:
        ret['comment'] = 'Health check failed'
        return ret
    
    # Switch nginx upstream
    __salt__['file.replace'](
        '/etc/nginx/conf.d/upstream.conf',
        pattern=f'server 127.0.0.1:{8081 if current_env == "blue" else 8082}',
        repl=f'server 127.0.0.1:{8081 if new_env == "blue" else 8082}'
    )
    
    __salt__['service.reload']('nginx')
    
    # Update active environment
    __salt__['file.write']('/etc/active_env', new_env)
    
    ret['result'] = True
    ret['comment'] = f'Successfully switched from {current_env} to {new_env}'
    ret['changes'] = {
        'old': {'env': current_env, 'version': 'previous'},
        'new': {'env': new_env, 'version': new_version}
    }
    
    return ret
