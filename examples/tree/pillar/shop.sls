# Settings of one shop server. A pillar file is a template too.
shop:
  workers: {{ grains.num_cpus * 2 }}
  sites:
    - name: shop.example.com
      port: 8080
      aliases: [www.shop.example.com]
    - name: api.example.com
      port: 8081
      public: false
  users:
    ann: {uid: 3001, groups: [www-data, adm]}
    bob: {uid: 3002}
