include:
  - deployment.app
