// The data of proxy.cfg.jinja: a site of a dozen backends with eight servers each.

function servers(site: number): object[] {
  return Array.from({ length: 8 }, (_, i) => ({
    name: `App${site}-${i}`,
    address: `10.1.${site}.${i + 10}`,
    enabled: i !== 5,
    backup: i === 7,
    ...(i % 2 === 0 ? { weight: 20, maxconn: 500 } : { maxconn: 0 }),
  }))
}

function backend(site: number): object {
  const odd = site % 2 === 1
  return {
    name: `site${site}`,
    port: 8000 + site,
    check: odd ? { path: '/health', interval: 3000 } : {},
    cookie: odd ? { name: 'SRV', secure: true, domain: `.site${site}.example.com` } : {},
    compression: odd ? ['text/html', 'text/css', 'application/json'] : [],
    stick: site % 3 === 0 ? { expire: '1h' } : {},
    headers: { 'X-Forwarded-Proto': 'https', 'X-Site': `site ${site}` },
    tls: site % 4 === 0 ? { verify: true, ca: '/etc/ssl/site.pem' } : {},
    servers: servers(site),
  }
}

function frontends(sites: number): object[] {
  const acls = Array.from({ length: sites }, (_, i) => ({
    name: `is_site${i}`,
    test: 'hdr(host) -i',
    values: [`site${i}.example.com`, `www.site${i}.example.com`],
  }))
  const use = Array.from({ length: sites }, (_, i) => ({ backend: `site${i}`, when: [`is_site${i}`, '!blocked'] }))
  const shared = { headers: { 'X-Proxy': 'edge one' }, capture: { Host: 64, 'User-Agent': 128 }, default: 'site0' }
  const redirect = { kind: 'scheme', to: 'https', code: 301, unless: '{ ssl_fc }', if: '' }
  const plain = { port: 80, tls: false, proxy: true }
  return [
    { name: 'plain', binds: [plain], acls: [], use: [], redirects: [redirect], description: '', ...shared },
    {
      name: 'secure',
      description: 'All sites, by name, with certificates from one folder that is read at start',
      binds: [{ port: 443, tls: true, crt: '/etc/ssl/sites/', alpn: ['h2', 'http/1.1'], proxy: false }],
      maxconn: 20000,
      acls,
      use,
      redirects: [],
      ...shared,
    },
  ]
}

export function proxyContext(): Record<string, unknown> {
  const sites = 12
  return {
    banner: 'Written by the configuration management, changes will be lost',
    host: { fqdn: 'edge1.example.com', cpus: 8 },
    proxy: {
      name: 'edge',
      log: { facility: 'local2' },
      user: 'haproxy',
      group: 'haproxy',
      daemon: true,
      retries: '3',
      sockets: [{ path: '/run/edge.sock' }, { path: '/run/edge-admin.sock', mode: '600', level: 'admin' }],
      tls: { enabled: true, suites: ['A_128', 'A_256', 'C_20'], options: ['no-sslv3', 'no-tlsv10'], dh_bits: 2048 },
      tune: { bufsize: 32768, maxrewrite: 1024, 'ssl.cachesize': 100000 },
      options: { httplog: true, dontlognull: true, 'http-server-close': false, redispatch: true },
      timeouts: { client: '2m', server: '2m' },
      errors: [400, 403, 408, 500, 502, 503, 504],
      resolvers: ['10.0.0.2', '10.0.0.3'],
      peers: [
        {
          name: 'edges',
          members: [
            { name: 'edge1', address: '10.0.0.11' },
            { name: 'edge2', address: '10.0.0.12' },
          ],
        },
      ],
      frontends: frontends(sites),
      backends: Array.from({ length: sites }, (_, i) => backend(i)),
      stats: {
        enabled: true,
        address: '127.0.0.1',
        port: 9000,
        users: [
          { name: 'ops', secret: 'x' },
          { name: 'dev', secret: 'y' },
        ],
        admin_networks: ['10.0.0.0/8'],
      },
      userlists: {
        staff: [
          { name: 'ann', hash: '$5$a', groups: ['admin', 'dev'] },
          { name: 'bob', hash: '$5$b', groups: ['dev'] },
        ],
      },
      caches: [{ name: 'static', vary: true }],
      rings: [
        { name: 'main', disabled: false, servers: [{ name: 'log1', address: '10.0.0.21:514' }] },
        { name: 'old', disabled: true, servers: [] },
      ],
    },
  }
}
