rem_dns:
    runner.ddns.delete_host:
        - name: {{ data['name'] }}
        - zone: 'mydomain.com'
        - keyname: None
        - keyfile: None
        - nameserver: '10.10.38.250'
