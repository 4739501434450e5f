// salt-key from its words to its exit status. Keys are files, so it works without a running master too; one that runs is
// told.
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { consoleLog, type Log } from '../../base/mod.ts'
import { masterContext, socketAccess, wheels } from '../../client/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import { logSettings, openLog } from '../logging.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_KEY } from '../programs/salt-key.ts'
import type { Streams } from '../streams.ts'

/** What can be asked for; the first that is given counts, and without any all keys are listed. */
const ACTIONS = [
  'gen_keys',
  'gen_signature',
  'list',
  'list_all',
  'print',
  'print_all',
  'accept',
  'accept_all',
  'reject',
  'reject_all',
  'delete',
  'delete_all',
  'finger',
  'finger_all',
] as const

type Action = 'gen_keys' | 'gen_signature' | 'list' | 'print' | 'accept' | 'reject' | 'delete' | 'finger'

type Call = (name: string, ...args: Value[]) => Promise<Value>

interface Work {
  opts: Dict
  streams: Streams
  log: Log
  call: Call
}

export function saltKey(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_KEY, argv, streams, async (line) => {
    const early = consoleLog('warning', streams.err)
    const read = (path: string) => clientConfig({ path, log: early, program: 'salt-key' })
    const opts = await programOptions({ program: SALT_KEY, line, streams, log: early, file: 'master', read })
    const log = openLog(logSettings(opts), streams.err)
    const access = socketAccess(opts, log)
    try {
      const ctx = masterContext(access, { jid: '', user: '', tag: 'salt/wheel' })
      await perform({ opts, streams, log, call: (name, ...args) => wheels.call(ctx, `key.${name}`, args) })
      return 0
    } finally {
      access.close()
    }
  })
}

async function perform(work: Work): Promise<void> {
  const { opts } = work
  const given = ACTIONS.find((name) => truthy(opts.get(name) ?? null)) ?? 'list_all'
  const action = given.replace('_all', '') as Action
  const match = given === 'list_all' ? 'all' : given.endsWith('_all') ? '*' : str(opts.get(given) ?? '')
  if (action === 'gen_keys') return void (await work.call('gen_keys'))
  if (action === 'gen_signature') return sign(work)
  if (action === 'accept' || action === 'reject' || action === 'delete') return change(work, action, match)
  show(work, await asked(work, action, match, given.endsWith('_all')))
}

async function asked({ call }: Work, action: Action, match: string, isAll: boolean): Promise<Value> {
  if (action === 'list') return call('list', match)
  if (action === 'print') return call('print', match)
  return isAll || match === 'master' ? call('finger_all') : call('finger', match)
}

function show({ opts, streams, log }: Work, value: Value): void {
  const text = display('key', isDict(value) ? value : new Map([['return', value]]), opts, {
    terminal: streams.terminal,
    log,
  })
  if (text !== '') streams.out(`${text}\n`)
}

async function change(work: Work, action: 'accept' | 'reject' | 'delete', match: string): Promise<void> {
  const { opts, streams, call } = work
  const flag = (name: string): boolean => truthy(opts.get(name) ?? false)
  const rejected = action === 'accept' && (flag('include_all') || flag('include_rejected'))
  const accepted = action === 'reject' && (flag('include_all') || flag('include_accepted'))
  const denied = flag('include_denied')
  const wanted = filtered((await call('glob_match', match)) as Dict, action === 'delete', {
    accepted,
    rejected,
    denied,
  })
  if (wanted.size === 0) {
    streams.out(`The key glob '${match}' does not match any ${states({ accepted, rejected, denied })} keys.\n`)
    return
  }
  const verb = action === 'delete' ? 'deleted' : `${action}ed`
  streams.out(`The following keys are going to be ${verb}:\n`)
  show(work, wanted)
  if (!flag('yes') && !(await confirmed(action === 'delete'))) return
  if (action === 'delete') await call('delete_dict', wanted)
  else if (action === 'accept') await call('accept_dict', wanted, rejected, denied)
  else await call('reject_dict', wanted, accepted, denied)
  for (const ids of wanted.values()) {
    for (const id of isList(ids) ? ids : []) streams.out(`Key for minion ${str(id)} ${verb}.\n`)
  }
}

interface Included {
  accepted: boolean
  rejected: boolean
  denied: boolean
}

function filtered(found: Dict, isAll: boolean, { accepted, rejected, denied }: Included): Dict {
  if (isAll) return found
  const folders = ['minions_pre', accepted && 'minions', rejected && 'minions_rejected', denied && 'minions_denied']
  return new Map([...found].filter(([folder]) => folders.includes(str(folder))))
}

function states({ accepted, rejected, denied }: Included): string {
  const names = ['unaccepted', accepted && 'accepted', rejected && 'rejected', denied && 'denied'].filter(Boolean)
  return names.length === 1 ? 'unaccepted' : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

async function confirmed(isDeletion: boolean): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stdout, terminal: false })
  try {
    process.stdout.write(`Proceed? ${isDeletion ? '[N/y]' : '[n/Y]'} `)
    const answer = await new Promise<string>((done) => {
      reader.once('line', done)
      reader.once('close', () => done(''))
    })
    return answer === '' ? !isDeletion : answer.toLowerCase().startsWith('y')
  } finally {
    reader.close()
  }
}

/** The signature of the master's public key, for minions that ask for one. */
async function sign({ opts, streams, call }: Work): Promise<void> {
  const option = (name: string): Value => opts.get(name) ?? null
  const places = ['priv', 'pub', 'signature_path', 'auto_create', 'keysize'].map(option)
  const done = await call('gen_signature', ...places)
  if (done !== true) throw new ProgramExit(1, { stderr: typeof done === 'string' ? `${done}\n` : '' })
  const folder = str(option('signature_path') ?? '') || str(opts.get('pki_dir')!)
  const file = join(folder, str(opts.get('master_pubkey_signature') ?? 'master_pubkey_signature'))
  streams.out(`The signature was written to ${file}\n`)
}
