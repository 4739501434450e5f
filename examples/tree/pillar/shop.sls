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
  settings:
    cart: {currency: EUR, keep_days: 14}
    mail: {from: shop@example.com}
