# Use unless/onlyif for idempotency
extract_archive:
  cmd.run:
    - name: tar -xf /tmp/app.tar.gz -C /opt/app
    - unless: test -f /opt/app/.extracted
    
create_marker:
  file.touch:
    - name: /opt/app/.extracted
    - require:
      - cmd: extract_archive

# Use file.recurse alternatives for large directories
sync_large_directory:
  cmd.run:
    - name: rsync -av --delete /source/largedir/ /dest/largedir/
    - onchanges:
      - git: source_repository
