# /srv/salt/kubernetes/init.sls
{% set k8s_version = salt['pillar.get']('kubernetes:version', '1.27.0') %}

# Install kubectl
kubectl:
  file.managed:
    - name: /usr/local/bin/kubectl
    - source: https://dl.k8s.io/release/v{{ k8s_version }}/bin/linux/amd64/kubectl
    - source_hash: https://dl.k8s.io/v{{ k8s_version }}/bin/linux/amd64/kubectl.sha256
    - mode: 755

# Deploy application
deploy_k8s_app:
  k8s.namespace_present:
    - name: production
  
  k8s.secret_present:
    - name: app-secrets
    - namespace: production
    - data:
        database_url: {{ salt['vault.read_secret']('secret/database/url') | b64encode }}
  
  k8s.deployment_present:
    - name: web-app
    - namespace: production
    - spec:
        replicas: {{ salt['pillar.get']('kubernetes:web:replicas', 3) }}
        template:
          spec:
            containers:
            - name: app
              image: registry.example.com/web-app:{{ salt['pillar.get']('app:version') }}
              env:
              - name: DATABASE_URL
                valueFrom:
                  secretKeyRef:
                    name: app-secrets
                    key: database_url
