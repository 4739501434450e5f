nginx:
  server_name: shop.example.com
  app_port: 8080
