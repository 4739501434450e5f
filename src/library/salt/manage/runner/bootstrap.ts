// Installs minions on hosts over SSH. Salt runs a script that the host downloads; here the master sends the package.
// Arguments about the script are therefore refused, or logged if they have no effect.
import { type Dict, failure, misuse, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, masterFn, optionalText, ret } from '../../../../sdk/mod.ts'

const SCRIPT = 'https://github.com/saltstack/salt-bootstrap/releases/latest/download/bootstrap-salt.sh'
const TMP_DIR = '/tmp/.bootstrap'
const BACKEND = 'tornado'

/** Salt's own script, from wherever. */
const OWN_SCRIPT = /^(https:\/\/[^?#\s]*\/)?bootstrap-salt(\.sh)?$/

/** Words for the newest version. */
const NEWEST: ReadonlySet<string> = new Set(['', 'develop', 'latest', 'stable'])

const args = {
  version: arg.text('Only `develop`, `latest` and `stable`: the minion gets the version of the package', {
    default: 'develop',
  }),
  script: arg.text("Only Salt's own script, which is not run: the master sends the package", { default: SCRIPT }),
  hosts: arg.words('Ids and globs of the roster, names or addresses: a list, or separated by commas', { default: [] }),
  script_args: arg.text('Refused: no script runs', { default: '' }),
  roster: arg.text("Roster; None for the master's option", { default: 'flat' }),
  ssh_user: arg.text('User to log in as, where the roster names none', { optional: true }),
  ssh_password: arg.text('Password, where the roster has none', { optional: true, secret: true }),
  ssh_priv_key: optionalText('File of a private key, where the roster names none. Not for callers of the API'),
  tmp_dir: arg.text('Without effect: the package goes into a private folder', { default: TMP_DIR }),
  http_backend: arg.text('Without effect: hosts download nothing', { default: BACKEND }),
  package: arg.words(
    'Files of the package, a list or separated by commas, as for `brine bootstrap`; else the programs of this installation. Not for callers of the API',
    { optional: true },
  ),
  master: arg.text(
    'Name or address of this master, as the minions reach it; else the option interface, or the name of this machine. Not for callers of the API',
    { optional: true },
  ),
  timeout: arg.count('Seconds to wait until a minion answers', { default: 120 }),
}

type Given = Bound<typeof args>

/** Throw for arguments that request something else. Return the names of those without effect. */
function judge({ version, script, script_args, tmp_dir, http_backend }: Given): string[] {
  if (!NEWEST.has(version)) {
    throw misuse(
      `'version' cannot choose a version of Salt: the minion gets the version of this installation, or of the files that 'package' names`,
    )
  }
  if (script !== '' && !OWN_SCRIPT.test(script)) {
    throw misuse(
      `'script' cannot be used: no script runs on the hosts. Name files by 'package', or use salt-cloud with the driver saltify, which runs scripts`,
    )
  }
  if (script_args.trim() !== '') {
    throw misuse(`'script_args' cannot be used: no script runs on the hosts. 'master' takes the address of the master`)
  }
  const idle: string[] = []
  if (tmp_dir !== TMP_DIR && tmp_dir !== '')
    idle.push("'tmp_dir' has no effect: the package goes into a private folder")
  if (http_backend !== BACKEND && http_backend !== '')
    idle.push("'http_backend' has no effect: the hosts download nothing")
  return idle
}

/** Return the options of salt-ssh for the arguments. */
function loginOptions({ roster, ssh_user, ssh_password, ssh_priv_key }: Given): Dict {
  const options: Dict = new Map()
  const named: Array<[name: string, option: string, value: string | null]> = [
    ['roster', 'roster', roster || null],
    ['ssh_user', 'ssh_user', ssh_user],
    ['ssh_password', 'ssh_passwd', ssh_password],
    ['ssh_priv_key', 'ssh_priv', ssh_priv_key],
  ]
  for (const [name, option, value] of named) {
    if (value === null) continue
    if (value.startsWith('sdb://')) throw misuse(`'${name}' cannot be a value of sdb: write it into the roster`)
    options.set(option, value)
  }
  return options
}

export const bootstrap = masterFn({
  doc: 'Install minions of this master on hosts over SSH, with keys that both sides know beforehand, as `brine bootstrap` does.',
  args,
  examples: [
    "salt-run manage.bootstrap hosts='host1,host2'",
    "salt-run manage.bootstrap hosts='web*' ssh_user=root ssh_priv_key=/root/.ssh/id_ed25519",
  ],
  returns: ret.dict('What was done, by host'),
  run: async (ctx, given) => {
    const hosts = given.hosts.map((host) => host.trim()).filter((host) => host !== '')
    if (hosts.length === 0) throw misuse(`Name at least one host: hosts='host1,host2'`)
    if (given.timeout <= 0) throw misuse(`'timeout' has to be a positive number of seconds`)
    for (const words of judge(given)) ctx.log('warning', `manage.bootstrap: ${words}`)
    const outcomes = await ctx.bootstrap({
      ...{ hosts, options: loginOptions(given), packages: given.package ?? [], timeout: given.timeout },
      ...(given.master !== null && { master: given.master }),
      isFromOutside: ctx.caller !== undefined,
    })
    // failures come first
    const ordered = outcomes.sort((one, other) => Number(other.failed) - Number(one.failed))
    if (ordered.some(({ failed }) => failed)) throw failure(ordered.map(({ id, text }) => `${id}: ${text}`).join('\n'))
    return new Map(ordered.map(({ id, text }): [Value, Value] => [id, text]))
  },
})
