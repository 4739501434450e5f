// Sets up a fresh clone before anything else can run, so this file is plain JavaScript and uses only Node: the packages
// of package-lock.json and, with --system, the Debian packages that some tests and benches use.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Debian package → a command that succeeds when it is there. */
const SYSTEM_PACKAGES = {
  bind9: ['named', '-v'],
  'bind9-dnsutils': ['dig', '-v'],
  'bridge-utils': ['brctl', '--version'],
  busybox: ['busybox', '--list'],
  chromium: ['chromium', '--version'],
  debootstrap: ['debootstrap', '--version'],
  'docker.io': ['dockerd', '--version'],
  'etcd-client': ['etcdctl', 'version'],
  'etcd-server': ['etcd', '--version'],
  fdisk: ['sfdisk', '--version'],
  fish: ['fish', '--version'],
  git: ['git', '--version'],
  gnupg: ['gpg', '--version'],
  groff: ['groff', '--version'],
  haproxy: ['haproxy', '-v'],
  hiera: ['hiera', '--version'],
  influxdb: ['influxd', 'version'],
  'influxdb-client': ['influx', '-version'],
  'inotify-tools': ['sh', '-c', 'test -x /usr/bin/inotifywait'],
  iproute2: ['ip', '-V'],
  ipset: ['ipset', '--version'],
  iptables: ['iptables', '--version'],
  'ldap-utils': ['ldapsearch', '-VV'],
  mandoc: ['sh', '-c', 'test -x /usr/bin/mandoc'],
  'mariadb-server': ['mariadbd', '--version'],
  memcached: ['memcached', '--version'],
  mercurial: ['hg', '--version'],
  nftables: ['nft', '--version'],
  'nginx-light': ['nginx', '-v'],
  ngircd: ['sh', '-c', 'test -x /usr/sbin/ngircd'],
  'openssh-client': ['ssh', '-V'],
  'openssh-server': ['sh', '-c', 'test -x /usr/sbin/sshd'],
  parted: ['parted', '--version'],
  postgresql: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/postgres'],
  prometheus: ['prometheus', '--version'],
  'python3-jinja2': ['python3', '-c', 'import jinja2'],
  'python3-yaml': ['python3', '-c', 'import yaml'],
  'python3-keyring': ['/usr/bin/keyring', '--help'],
  'python3-keyrings.alt': ['/usr/bin/python3', '-c', 'import keyrings.alt'],
  'redis-server': ['redis-server', '--version'],
  reclass: ['/usr/bin/python3', '-c', 'import reclass'],
  slapd: ['sh', '-c', 'test -x /usr/sbin/slapd'],
  sqlite3: ['sqlite3', '--version'],
  subversion: ['svn', '--version'],
  sudo: ['sudo', '--version'],
  'systemd-container': ['systemd-nspawn', '--version'],
  zsh: ['zsh', '--version'],
}

const OLDEST_NODE = [20, 19]

function say(text) {
  process.stdout.write(`${text}\n`)
}

function assertNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return
  say(`Node ${process.versions.node} is too old: Brine needs ${OLDEST_NODE.join('.')} or newer`)
  process.exit(1)
}

function readPackages(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8')).packages
}

/** Whether node_modules holds exactly what the lock file asks for; packages for other systems may be absent. */
function isInstalled() {
  const record = join('node_modules', '.package-lock.json')
  if (!existsSync(join(root, record))) return false
  const installed = readPackages(record)
  return Object.entries(readPackages('package-lock.json')).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    return found === undefined ? wanted.optional === true : found.version === wanted.version
  })
}

function installPackages() {
  if (isInstalled()) return
  say('Installing the packages of package-lock.json')
  if (npm('ci', '--loglevel=silent')) return
  // a lock file written where some optional packages are not offered does not satisfy ci, and install takes it as it is
  say('npm ci refused the lock file, trying npm install')
  if (npm('install', '--no-save', '--loglevel=error')) return
  say('The packages could not be installed')
  process.exit(1)
}

function npm(...args) {
  return spawnSync('npm', [...args, '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit' }).status === 0
}

/** Ordinary users have no folders of servers on their PATH. */
const PATH = [process.env.PATH, '/usr/local/sbin', '/usr/sbin', '/sbin'].filter(Boolean).join(delimiter)

const works = ([command, ...args]) =>
  spawnSync(command, args, { stdio: 'ignore', env: { ...process.env, PATH } }).status === 0

function aptGet(...args) {
  const options = [
    '-q',
    '-y',
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=20',
    '-o',
    'DPkg::Lock::Timeout=60',
  ]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', [...options, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}

function installSystemPackages() {
  const missing = () => Object.keys(SYSTEM_PACKAGES).filter((name) => !works(SYSTEM_PACKAGES[name]))
  const before = missing()
  if (before.length === 0) return
  if (process.getuid?.() !== 0 || !works(['apt-get', '--version'])) {
    say(`Missing: ${before.join(', ')}. Only root can install them, with apt-get; tests that need them are skipped`)
    return
  }
  say(`Installing ${before.join(', ')}`)
  const install = ['install', '--no-install-recommends', ...before]
  if (!aptGet(...install)) aptGet('update') && aptGet(...install)
  const after = missing()
  if (after.length > 0) say(`Missing: ${after.join(', ')} could not be installed; tests that need them are skipped`)
}

assertNode()
installPackages()
if (process.argv.includes('--system')) installSystemPackages()
