// Options that only functions read, through `config.get` and its like: a minion's options contain them only if they are
// set.
import { later, type OptionTable } from '../option.ts'

export const FUNCTIONS = {
  'mongo.db': { both: 'salt', doc: 'Database of MongoDB' },
  'mongo.password': { both: '', doc: 'Password of MongoDB' },
  'mongo.port': { both: 27017, doc: 'Port of the MongoDB server' },
  'mongo.user': { both: '', doc: 'User of MongoDB' },
  'redis.db': { both: '0', doc: 'Database of the Redis server' },
  'redis.host': { both: 'salt', doc: 'Redis server' },
  'redis.port': { both: 6379, doc: 'Port of the Redis server' },
  'test.foo': { both: 'unconfigured', doc: 'Shows in tests whether options arrive' },
  'ca.cert_base_path': { both: '/etc/pki', doc: 'Directory of certificates' },
  'hosts.file': { both: '/etc/hosts', doc: 'File of host names' },
  'aliases.file': { both: '/etc/aliases', doc: 'File of mail aliases' },
  'docker.compare_container_networks': {
    both: {
      static: ['Aliases', 'Links', 'IPAMConfig'],
      automatic: ['IPAddress', 'Gateway', 'GlobalIPv6Address', 'IPv6Gateway'],
    },
    doc: 'Which network settings of containers are compared',
  },
  ...later('the module solr', {
    'solr.cores': { both: [], doc: 'Cores of the Solr server' },
    'solr.host': { both: 'localhost', doc: 'Solr server' },
    'solr.port': { both: '8983', doc: 'Port of the Solr server' },
    'solr.baseurl': { both: '/solr', doc: 'Path on the Solr server' },
    'solr.type': { both: 'master', doc: 'Whether the Solr server is a master or a slave' },
    'solr.request_timeout': { both: null, doc: 'Seconds a request to Solr may take' },
    'solr.init_script': { both: '/etc/rc.d/solr', doc: 'Script that starts Solr' },
    'solr.dih.import_options': {
      both: { clean: false, optimize: true, commit: true, verbose: false },
      doc: "Options of Solr's data import",
    },
    'solr.backup_path': { both: null, doc: "Directory of Solr's backups" },
    'solr.num_backups': { both: 1, doc: 'How many backups Solr keeps' },
  }),
  'poudriere.config': {
    both: '/usr/local/etc/poudriere.conf',
    doc: 'Configuration file of poudriere',
    later: 'the module poudriere',
  },
  'poudriere.config_dir': {
    both: '/usr/local/etc/poudriere.d',
    doc: 'Directory of further files of poudriere',
    later: 'the module poudriere',
  },
  ...later('the module ldap', {
    'ldap.uri': { both: '', doc: 'Address of the LDAP server' },
    'ldap.server': { both: 'localhost', doc: 'LDAP server, where no address is set' },
    'ldap.port': { both: '389', doc: 'Port of the LDAP server' },
    'ldap.tls': { both: false, doc: 'Speak TLS with the LDAP server' },
    'ldap.no_verify': { both: false, doc: "Do not check the LDAP server's certificate" },
    'ldap.anonymous': { both: true, doc: 'Do not log in to the LDAP server' },
    'ldap.scope': { both: 2, doc: 'How deep a search goes' },
    'ldap.attrs': { both: null, doc: 'Attributes a search returns; all when not set' },
    'ldap.binddn': { both: '', doc: 'Name to log in to the LDAP server with' },
    'ldap.bindpw': { both: '', doc: 'Password to log in to the LDAP server with' },
  }),
  virt: {
    both: { tunnel: false, images: '/srv/salt-images' },
    doc: 'How virtual machines are moved, and their images',
    later: 'the module virt',
  },
  'docker.exec_driver': {
    both: 'docker-exec',
    doc: 'How commands run in containers',
    needless: 'The program docker runs commands in containers',
  },
} satisfies OptionTable
