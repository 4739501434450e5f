source_repository:
  git.latest:
    - name: /srv/repository
    - target: /source/largedir
