// `npm run up [-- --port=N]`: builds Brine, starts a master with its REST API, the console and three minions on loopback, and shows a
// ping, a state, the events of it, a request to the API and the login of the console. They live below .brine/ and keep running until
// `npm run down`; no rights are needed and nothing else on the machine changes.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { toError } from '../src/base/mod.ts'
import type { BusClient, BusEvent } from '../src/bus/mod.ts'
import { str } from '../src/data/mod.ts'
import { runCommand } from './command.ts'
import { openSite } from './up/open-site.ts'
import { MINIONS, type Site, siteOf, usersOf, writtenOf } from './up/site.ts'

const DEFAULT_PORT = '14505'

function say(text = ''): void {
  process.stdout.write(`${text}\n`)
}

/** Paths in the clone as one types them there. */
const near = (site: Site, path: string): string => (path.startsWith(`${site.root}/`) ? relative(site.root, path) : path)

const commandOf = (site: Site, name: string): string => near(site, join(site.bin, name))

async function show(site: Site, command: string, ...args: string[]): Promise<void> {
  const words = args.map((word) => (/^[\w.=@/-]+$/.test(word) ? word : `'${word}'`))
  say(`$ ${[commandOf(site, command), ...words].join(' ')}`)
  const { code, output } = await runCommand(site.root, join(site.bin, command), args)
  say(output.trimEnd())
  if (code !== 0) throw new Error(`${command} ended with exit code ${code}`)
  say()
}

/** Return the events on the bus until it is silent. */
async function heard(events: BusClient): Promise<BusEvent[]> {
  const all: BusEvent[] = []
  for (let event = await events.next(0.3); event !== undefined; event = await events.next(0.3)) all.push(event)
  return all
}

/** A line for events that begin a job or bring an answer; others say nothing of it. */
function eventLine({ tag, data }: BusEvent): string[] {
  const text = (name: string): string => str(data.get(name) ?? '')
  if (/^salt\/job\/\d+\/new$/.test(tag)) return [`${tag}  ${text('fun')} for ${text('tgt')}`]
  if (/^salt\/job\/\d+\/ret\//.test(tag)) return [`${tag}  return code ${text('retcode')}`]
  return []
}

async function tour(site: Site, events: BusClient): Promise<void> {
  await show(site, 'salt', '*', 'test.ping')
  await heard(events)
  say('The sample tree, a copy of examples/tree, on two of them:\n')
  await show(site, 'salt', 'web*', 'state.apply', '--state-output=terse')
  say("What the master's event bus told of that:\n")
  for (const event of await heard(events)) for (const line of eventLine(event)) say(`  ${line}`)
  say()
}

const urlOf = (site: Site): string => `http://127.0.0.1:${site.apiPort}`

/** The name and the password of the user of this site. */
const loginOf = (site: Site): string[] => readFileSync(usersOf(site), 'utf8').trim().split(':')

/** A request that works as it is written, with the password of this site. */
async function apiTour(site: Site): Promise<void> {
  const [user, password] = loginOf(site)
  const url = urlOf(site)
  const fields = ['client=local', 'tgt=*', 'fun=test.ping', 'eauth=file', `username=${user}`, `password=${password}`]
  say(`The REST API listens on ${url}; its manual is at ${url}/docs:\n`)
  say(`$ curl -sS ${url}/run ${fields.map((field) => `-d '${field}'`).join(' ')}`)
  const response = await fetch(`${url}/run`, { method: 'POST', body: new URLSearchParams(fields.join('&')) })
  if (!response.ok) throw new Error(`The API answered with the status ${response.status}`)
  say(`${await response.text()}\n`)
}

function whatNext(site: Site): void {
  const salt = commandOf(site, 'salt')
  say(`They keep running; \`npm run down\` stops them. What the states wrote is below ${near(site, writtenOf(site))}.`)
  say(`The master serves ${near(site, join(site.folder, 'tree'))}; files that you add there stay until the next start.`)
  say('Try next:\n')
  const lines: [line: string, meaning: string][] = [
    [`${salt} 'web*' cmd.run 'uname -a'`, 'a command on two of them'],
    [`${salt} -G role:db grains.item os num_cpus`, 'by grain; what they know of the machine'],
    [`${salt} web1 state.apply test=True pillar='{"shop": {"workers": 16}}'`, 'what would change'],
    [`${commandOf(site, 'salt-key')} -L`, 'keys of minions'],
    [`${commandOf(site, 'salt-run')} jobs.list_jobs`, 'what was done'],
    [`${commandOf(site, 'salt-call')} pillar.get shop:workers`, 'from the side of a minion, web1'],
    [`${salt} web1 sys.doc file.append`, 'how a function is called'],
  ]
  const width = Math.max(...lines.map(([line]) => line.length))
  for (const [line, meaning] of lines) say(`  ${line.padEnd(width)}  # ${meaning}`)
  const [user, password] = loginOf(site)
  say(`\nThe console shows them at work. Open ${urlOf(site)}/console/ and log in:\n`)
  say(`  user      ${user}\n  password  ${password}`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: DEFAULT_PORT } } })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 1024 || port > 65_533) {
    throw new Error(`--port takes a number from 1024 to 65533, not '${values.port}'`)
  }
  const site = siteOf(join(import.meta.dirname, '..'), port)
  say('Building and starting, which takes some seconds …')
  const { already, events } = await openSite(site)
  if (already.length === 0) say(`A master and the minions ${MINIONS.join(', ')} are up.\n`)
  else
    say('They are up already, with the programs they were started with; `npm run down` before this takes new ones.\n')
  try {
    await tour(site, events)
    await apiTour(site)
  } finally {
    events.close()
  }
  whatNext(site)
}

// a reader of only the beginning has closed the pipe
process.stdout.on('error', () => process.exit(0))
try {
  await main()
} catch (error) {
  process.stderr.write(`${toError(error).message}\n`)
  process.exitCode = 1
}
