add_dns:
    runner.ddns.add_host:
        - name: {{ data['name'] }}
        - zone: 'mydomain.com'
        - ttl: 60
        - ip: {{ data['host'] }}
        - keyname: None
        - keyfile: None
        - nameserver: '10.10.38.250'
