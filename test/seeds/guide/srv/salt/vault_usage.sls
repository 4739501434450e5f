# Usage in states
database_password:
  pillar.present:
    - name: database:password
    - value: {{ salt['vault.read_secret']('secret/database/password') }}
