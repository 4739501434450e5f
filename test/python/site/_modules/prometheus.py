# /srv/salt/_modules/prometheus.py
import json
import time

def generate_metrics():
    """Generate Prometheus metrics from Salt data"""
    
    metrics = []
    
    # Minion status
    minion_status = __salt__['status.version']()
    metrics.append(
        f'salt_minion_info{{version="{minion_status}"}} 1'
    )
    
    # Last highstate
    last_highstate = __salt__['grains.get']('last_highstate', 0)
    metrics.append(
        f'salt_last_highstate_timestamp {last_highstate}'
    )
    
    # Service states
    for service in ['nginx', 'postgresql', 'redis']:
        try:
            status = __salt__['service.status'](service)
            metrics.append(
                f'salt_service_running{{service="{service}"}} {1 if status else 0}'
            )
        except:
            pass
    
    return '\n'.join(metrics)
