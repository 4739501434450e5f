// The formulas that are compared, each with its own pillar.example. What an example only shows the form of, such as the
// name of a package nobody has, is set right by a second pillar, which is merged over the first.
export interface Formula {
  /** The name of the checkout without `-formula`. */
  name: string
  /** What to apply, when it is not the SLS of the formula's name alone. */
  sls?: string[]
  pillar?: unknown
  /** A tree of lab/trees instead of a checkout. */
  tree?: string
  /** Whether it needs the stand-in for PostgreSQL's package site. */
  needsMirror?: boolean
  /** Lines of the example that are left out. */
  without?: RegExp
  /** Paths that both sides fill with chance. */
  chance?: RegExp
}

/** What the formulas install from Debian. */
export const FORMULA_PACKAGES = [
  'cron',
  'git',
  'libpam-google-authenticator',
  'locales',
  'logrotate',
  'nginx',
  'openssh-client',
  'openssh-server',
  'postgresql',
  'postgresql-contrib',
  'postgresql-plpython3-15',
  'ssl-cert',
  'sudo',
  'vim',
]

const LOCALE = { lc_ctype: 'C.UTF-8', lc_collate: 'C.UTF-8' }

const POSTGRES = {
  version: '15',
  fromrepo: '',
  pkgs_extra: ['postgresql-contrib'],
  cluster: { locale: 'C.UTF-8' },
  databases: { db1: LOCALE, db2: LOCALE },
}

/** Times in names, a cache of the server, and a backup whose owner Salt loses where /tmp is a file system of its own. */
const POSTGRES_CHANCE = /\.backup@|pg_internal\.init|postgresql\.conf\.bak/

export const FORMULAS: Formula[] = [
  { name: 'webserver', tree: 'webserver' },
  { name: 'database', tree: 'database', sls: ['database.postgresql'], needsMirror: true },
  { name: 'cron', pillar: { cron: { lookup: { pkg: 'cron' } } } },
  { name: 'logrotate' },
  {
    name: 'nginx',
    pillar: {
      nginx: {
        lookup: { package: 'nginx' },
        server: { config: { stream: {} } },
        servers: {
          managed: {
            mysite: {
              requires: { pkg: 'nginx_install' },
              config: [{ server: [{ server_name: 'localhost' }, { listen: ['80 default_server'] }] }],
            },
            mysite2: { config: [{ server: [{ server_name: 'second' }, { listen: ['8080'] }] }] },
            'http_options.conf': { config: [{ sendfile: 'on' }] },
          },
        },
        dh_param: { 'mydhparam2.pem': { keysize: 512 } },
        snippets: { 'upstream_netdata_tcp.conf': [{ 'upstream netdata': [{ server: '127.0.0.1:19999' }] }] },
      },
    },
    without: /source_path: salt:|load_module: modules|^ {6}include: 'snippets/,
    chance: /mydhparam2\.pem/,
  },
  { name: 'openssh', sls: ['openssh', 'openssh.config', 'openssh.banner', 'openssh.moduli', 'openssh.client'] },
  { name: 'postgres', pillar: { postgres: POSTGRES }, chance: POSTGRES_CHANCE },
  { name: 'sudoers', sls: ['sudoers', 'sudoers.included'] },
  { name: 'users' },
]
