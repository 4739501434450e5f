postgresql:
  version: 15
  max_connections: 42
  shared_buffers: 64MB
  databases:
    - name: shop
      owner: shopkeeper
      password: sesame
    - name: stock
      owner: clerk
      password: let-me-in
      encoding: UTF8
      createdb: True
