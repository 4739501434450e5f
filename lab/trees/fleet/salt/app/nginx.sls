nginx:
  pkg.installed: []
  service.running: []
