healthy_before:
  http.query:
    - name: http://localhost:8080/health
    - status: 200
