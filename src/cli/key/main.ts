// salt-key: from the command line to the exit status. Keys are files, so it works without a running master, and
// notifies a running one; for users of external authentication the master does the work.
import { createInterface } from 'node:readline/promises'
import { BrineError, type Log } from '../../base/mod.ts'
import { ClientError } from '../../client/mod.ts'
import { clientConfig } from '../../config/mod.ts'
import { type Dict, isDict, isList, str, truthy, type Value } from '../../data/mod.ts'
import { display } from '../../output/mod.ts'
import { socketAccess } from '../../runner/mod.ts'
import { configSources } from '../config-sources.ts'
import { ProgramExit } from '../optparse/exit.ts'
import { writeResult } from '../output-file.ts'
import { programOptions } from '../program-options.ts'
import { runProgram } from '../program-run.ts'
import { SALT_KEY } from '../programs/salt-key.ts'
import { becomeConfigured } from '../running-as.ts'
import { masterIsGone } from '../salt/messages.ts'
import type { Streams } from '../streams.ts'
import { callsHere, type KeyCalls } from './calls.ts'

/** The actions; the first one given is carried out. Without any, all keys are listed. */
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

interface Work {
  opts: Dict
  streams: Streams
  log: Log
  keys: KeyCalls
}

export function saltKey(argv: readonly string[], streams: Streams): Promise<number> {
  return runProgram(SALT_KEY, argv, streams, async (line) => {
    const read = (path: string, log: Log) => clientConfig({ path, log, ...configSources, program: 'salt-key' })
    const { opts, log } = await programOptions({ program: SALT_KEY, line, streams, file: 'master', read })
    await becomeConfigured(opts, log)
    const keys = truthy(opts.get('eauth') ?? null)
      ? await elsewhere(opts, log, streams)
      : callsHere(socketAccess(opts, log))
    try {
      await perform({ opts, streams, log, keys })
      return 0
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      throw new ProgramExit(EX_NOBODY, { stderr: `${error.message}\n` })
    } finally {
      keys.close()
    }
  })
}

/** The master does not answer. */
const EX_NOBODY = 2

async function elsewhere(opts: Dict, log: Log, streams: Streams): Promise<KeyCalls> {
  const { callsElsewhere } = await import('./elsewhere.ts')
  try {
    return await callsElsewhere(opts, log, streams)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    const message = error.code === 'BusUnreachable' ? masterIsGone : error.message
    throw new ProgramExit(EX_NOBODY, { stderr: `${message}\n` })
  }
}

async function perform(work: Work): Promise<void> {
  const { opts } = work
  const given = ACTIONS.find((name) => truthy(opts.get(name) ?? null)) ?? 'list_all'
  const action = given.replace('_all', '') as Action
  const match = given === 'list_all' ? 'all' : given.endsWith('_all') ? '*' : str(opts.get(given) ?? '')
  if (action === 'gen_keys') return void (await work.keys.genKeys())
  if (action === 'gen_signature') return sign(work)
  if (action === 'accept' || action === 'reject' || action === 'delete') return change(work, action, match)
  show(work, await asked(work, action, match, given.endsWith('_all')))
}

async function asked({ keys }: Work, action: Action, match: string, isAll: boolean): Promise<Value> {
  if (action === 'list') return keys.call('list', match)
  if (action === 'print') return keys.call('print', match)
  return isAll ? keys.fingerAll() : keys.call('finger', match)
}

function show({ opts, streams, log }: Work, value: Value): void {
  const text = display('key', isDict(value) ? value : new Map([['return', value]]), opts, {
    terminal: streams.terminal,
    log,
  })
  writeResult(opts, streams, text)
}

async function change(work: Work, action: 'accept' | 'reject' | 'delete', match: string): Promise<void> {
  const { opts, streams, keys } = work
  const flag = (name: string): boolean => truthy(opts.get(name) ?? false)
  const rejected = action === 'accept' && (flag('include_all') || flag('include_rejected'))
  const accepted = action === 'reject' && (flag('include_all') || flag('include_accepted'))
  const denied = flag('include_denied')
  const wanted = filtered((await keys.call('glob_match', match)) as Dict, action === 'delete', {
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
  if (action === 'delete') await keys.delete(wanted)
  else if (action === 'accept') await keys.accept(wanted, rejected, denied)
  else await keys.reject(wanted, accepted, denied)
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
    const answer = await new Promise<string | undefined>((done) => {
      reader.once('line', done)
      reader.once('close', () => done(undefined))
    })
    if (answer === undefined) {
      process.stdout.write('\n')
      throw new ProgramExit(1, { stderr: 'Nothing was changed: the question got no answer. Use -y to ask nothing\n' })
    }
    return answer === '' ? !isDeletion : answer.toLowerCase().startsWith('y')
  } finally {
    reader.close()
  }
}

/** The signature of the master's public key, for minions that ask for one. */
async function sign(work: Work): Promise<void> {
  const wish = ['priv', 'pub', 'signature_path', 'auto_create', 'keysize'].map((name) => work.opts.get(name) ?? null)
  show(work, await work.keys.call('gen_signature', ...wish))
}
