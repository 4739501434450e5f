// Settings that are the same for all drivers: options of the file `cloud`, and how a minion gets on a machine. Each can be in the file
// `cloud`, in a provider, in a profile and in a map; the last one counts.
import { type Args, arg, type Bound } from '../sdk/mod.ts'

/** Options of the file `cloud` itself. */
export const CLOUD_OPTIONS = {
  enable_hard_maps: arg.flag('Let --hard destroy machines that a map does not name', { default: false }),
  deploy_scripts_search_path: arg.textOrList('Folders with deploy scripts, looked at after cloud.deploy.d', {
    default: [],
  }),
  pool_size: arg.count('How many machines are worked on at once', { default: 10 }),
  update_cachedir: arg.flag(
    'Fire cache_node_new and cache_node_missing when a query finds new machines or misses some',
    {
      default: false,
    },
  ),
  diff_cache_events: arg.flag('Fire cache_node_diff when what is kept of a machine has changed', { default: false }),
  'query.selection': arg.words('Fields that -S shows', {
    default: ['id', 'name', 'image', 'size', 'state', 'private_ips', 'public_ips'],
  }),
} as const satisfies Args

/** Settings of the login and of the deployment. */
export const DEPLOY_SETTINGS = {
  deploy: arg.isTrue('Put a minion on the machine', { default: true }),
  ssh_username: arg.any('User to log in as, or a list of users to try', { default: 'root' }),
  password: arg.text('Password to log in with', { optional: true, secret: true }),
  ssh_password: arg.text('The same as password', { optional: true, secret: true }),
  private_key: arg.text('File of the private key to log in with', { optional: true }),
  ssh_keyfile: arg.text('The same as private_key', { optional: true }),
  ssh_key_file: arg.text('The same as private_key', { optional: true }),
  key_filename: arg.text('The same as private_key', { optional: true }),
  ssh_port: arg.count('Port of the SSH server', { default: 22 }),
  ssh_host: arg.text('Address to connect to in place of those of the machine', { optional: true }),
  ssh_interface: arg.text('`public_ips` or `private_ips` (or `public`, `private`): which address is connected to', {
    default: 'public_ips',
  }),
  bootstrap_interface: arg.text('`public` or `private`: the same as ssh_interface', { optional: true }),
  ssh_gateway: arg.text('Host to connect through, user@host:port', { optional: true }),
  ssh_options: arg.words('Further -o settings of ssh', { default: [] }),
  known_hosts_file: arg.text(
    'File with the host key of the machine; without one the key of a new machine is not checked',
    {
      optional: true,
    },
  ),
  ssh_connect_timeout: arg.count('Seconds to wait until the machine lets us log in', { default: 900 }),
  sudo: arg.isTrue('Become root by sudo; True when the user is not root, unless given', { optional: true }),
  sudo_password: arg.text('Password for sudo', { optional: true, secret: true }),
  tty: arg.isTrue('Ask for a terminal', { default: false }),
  minion: arg.dict('Options of the minion', { default: new Map() }),
  grains: arg.dict('Grains of the minion', { default: new Map() }),
  master: arg.any('Address of the master that the minion gets, or options of a master with make_master', {
    optional: true,
  }),
  package: arg.text(
    'Package of the minion: .deb, .rpm, .tgz or one-file program; that of this installation unless given',
    {
      optional: true,
    },
  ),
  script: arg.text('Deploy script of your own in place of the built-in deployment', { optional: true }),
  script_args: arg.text('Arguments of the deploy script', { optional: true }),
  script_env: arg.dict('Environment of the deploy script', { default: new Map() }),
  deploy_timeout: arg.count('Seconds until the minion must answer', { default: 120 }),
  bootstrap_delay: arg.count('Seconds to wait before the deployment', { default: 0 }),
  sync_after_install: arg.text('What to sync when the minion is there: all, grains, modules …', { optional: true }),
  start_action: arg.text('Function to call on the minion when it is there, such as state.highstate', {
    optional: true,
  }),
  startup_states: arg.text('The option startup_states of the minion: highstate, sls or top', { optional: true }),
  make_master: arg.isTrue('Put a salt-master on the machine too', { default: false }),
  file_map: arg.dict('Files of this machine to files of the new one', { default: new Map() }),
  keep_tmp: arg.flag('Leave temporary files on the machine', { default: false }),
  show_deploy_args: arg.flag('Show what the deployment was given', { default: false }),
  requires: arg.any('Names of machines of the map that must exist first', { optional: true }),
} as const satisfies Args

export type DeploySettings = Bound<typeof DEPLOY_SETTINGS>

/** Settings that name a part of the configuration. */
export const NAMING_SETTINGS: ReadonlySet<string> = new Set(['provider', 'profile', 'extends', 'driver', 'name'])

/** Settings of Salt's that have no effect here, and why. */
export const NEEDLESS: Readonly<Record<string, string>> = {
  delete_sshkeys: 'host keys of new machines are not kept',
  preseed: 'keys are always made on the master',
  use_pip: 'no Python is installed',
  ssh_auth: 'ssh itself chooses the way to log in',
  keysize: 'the option of the master counts',
  log_level: 'the option of the master counts',
  cache: 'what is kept of machines is in files',
  script_deploy: 'write script',
  display_ssh_output: 'output of a deployment is in the log at level debug',
}
