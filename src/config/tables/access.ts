// Who may do what on a master.
import { later, type OptionTable } from '../option.ts'

export const ACCESS = {
  publisher_acl: {
    type: 'dict',
    both: {},
    old: ['client_acl'],
    doc: 'Local users and their access lists (docs/access-lists.md)',
  },
  publisher_acl_blacklist: {
    type: 'dict',
    both: {},
    old: ['client_acl_blacklist'],
    doc: 'Users and modules that may never be called',
  },
  sudo_acl: { type: 'bool', master: false, doc: 'Apply publisher_acl to users that came by sudo' },
  external_auth: {
    type: 'dict',
    master: {},
    doc: 'Login systems, their users, and the access lists of these (docs/access-lists.md)',
  },
  token_expire: { type: 'int', master: 43200, doc: 'Seconds a token is good' },
  token_expire_user_override: {
    type: 'bool|dict',
    master: false,
    doc: 'Let users ask for another life of their token',
  },
  peer: { type: 'dict', master: {}, doc: 'Minions and the functions they may call on other minions' },
  peer_run: { type: 'dict', for: ['master'], unset: {}, doc: 'Minions and the runners they may call' },
  mine_get: { type: 'dict', for: ['master'], doc: 'Minions and the mine functions they may read of others' },
  'auth.ldap.server': { type: 'str', for: ['master'], doc: 'LDAP server for logging in' },
  'auth.pam.service': { type: 'str', for: ['master'], unset: 'login', doc: 'PAM service for logging in' },
  'auth.pam.python': {
    type: 'str',
    for: ['master'],
    doc: 'Python program that asks PAM. Default: /usr/bin/python3',
  },
  sharedsecret: { type: 'str', for: ['master'], doc: 'Secret for logging in with sharedsecret' },
  client_acl_verify: {
    type: 'bool',
    master: true,
    doc: 'Check that the names in publisher_acl are users of the system',
    later: 'the check of user names in publisher_acl',
  },
  keep_acl_in_token: {
    type: 'bool',
    master: false,
    doc: "Keep a user's rights in the token instead of looking them up",
    later: 'rights that a token keeps',
  },
  eauth_acl_module: {
    type: 'str',
    master: '',
    doc: 'Module that gives the rights of users',
    later: 'modules that give the rights of users',
  },
  ...later('other stores of tokens', {
    eauth_tokens: { type: 'str', master: 'localfs', doc: 'Store of tokens' },
    'eauth_tokens.cache_driver': { type: 'None|str', master: null, doc: 'Cache that keeps tokens' },
    'eauth_tokens.cluster_id': { type: 'None|str', master: null, doc: 'Name that tokens of one cluster share' },
  }),
  django_auth_path: {
    type: 'str',
    master: '',
    doc: 'Path to the Django project for logging in',
    later: 'logging in by Django',
  },
  django_auth_settings: {
    type: 'str',
    master: '',
    doc: 'Settings module of the Django project',
    later: 'logging in by Django',
  },
  netapi_allow_raw_shell: { type: 'bool', master: false, doc: 'Let the API run raw shell commands over SSH' },
  netapi_enable_clients: { type: 'list', master: [], doc: 'Clients that the API offers' },
  rest_timeout: {
    type: 'int',
    for: ['minion', 'master'],
    unset: 300,
    doc: 'Seconds the API waits for the end of a runner function',
  },
  rest_cherrypy: { type: 'dict', for: ['master'], doc: 'Serve the REST API, with the options of rest_cherrypy' },
  rest_tornado: { type: 'dict', for: ['master'], doc: 'Serve the REST API, with the options of rest_tornado' },
  rest_wsgi: { type: 'dict', for: ['master'], doc: 'Serve the REST API, with the options of rest_wsgi' },
  api_pidfile: {
    type: 'str',
    for: ['master'],
    unset: '/var/run/salt-api.pid',
    doc: 'File the program salt-api writes its process id to',
  },
  api_logfile: {
    type: 'str',
    for: ['master'],
    unset: '/var/log/salt/api',
    doc: 'Log file of the program salt-api',
  },
} satisfies OptionTable
