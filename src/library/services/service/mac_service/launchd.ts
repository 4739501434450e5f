// Services of macOS: property lists of launchd in the known directories, by their label in lower case.
import { lookup } from '../../../../base/mod.ts'
import { type Dict, dictFrom, failure, isDict, loadJson, str } from '../../../../data/mod.ts'
import { type FunctionContext, namesIn, runAll } from '../../../../sdk/mod.ts'

const FOLDERS = [
  '/Library/LaunchAgents',
  '/Library/LaunchDaemons',
  '/System/Library/LaunchAgents',
  '/System/Library/LaunchDaemons',
]
const SALT: Readonly<Record<string, string>> = lookup({
  'salt-minion': 'com.saltstack.salt.minion',
  'salt-master': 'com.saltstack.salt.master',
  'salt-api': 'com.saltstack.salt.api',
  'salt-syndic': 'com.saltstack.salt.syndic',
})

async function plistAt(ctx: FunctionContext, path: string): Promise<Dict | undefined> {
  const { retcode, stdout } = await ctx.host.run({ argv: ['plutil', '-convert', 'json', '-o', '-', path] })
  if (retcode !== 0) return undefined
  const plist = loadJson(Buffer.from(stdout).toString())
  return isDict(plist) && plist.has('Label') ? plist : undefined
}

/** Return all services; cached, because reading hundreds of files is slow. */
export async function services(ctx: FunctionContext, refresh = false): Promise<Map<string, Dict>> {
  const known = ctx.memory.get('available_services')
  if (known !== undefined && !refresh) return known as Map<string, Dict>
  const users = (await namesIn(ctx.host, '/Users')).map((user) => `/Users/${user}/Library/LaunchAgents`)
  const found = new Map<string, Dict>()
  for (const folder of [...FOLDERS, ...users]) {
    for (const file of await namesIn(ctx.host, folder)) {
      const path = `${folder}/${file}`
      const plist = file.toLowerCase().endsWith('.plist') ? await plistAt(ctx, path) : undefined
      if (!plist) continue
      const entry: Dict = dictFrom({ file_name: file, file_path: path, plist })
      found.set(str(plist.get('Label')!).toLowerCase(), entry)
    }
  }
  ctx.memory.set('available_services', found)
  return found
}

function named(name: string, all: Map<string, Dict>): Dict | undefined {
  const direct = all.get(name)
  if (direct) return direct
  return [...all.values()].find((service) => {
    const base = str(service.get('file_name')!).replace(/\.[^.]*$/, '')
    return str(service.get('file_path')!).toLowerCase() === name || base.toLowerCase() === name
  })
}

export async function serviceOf(ctx: FunctionContext, given: string): Promise<Dict> {
  const name = (SALT[given] ?? given).toLowerCase()
  const isCached = ctx.memory.has('available_services')
  const found = named(name, await services(ctx))
  if (found) return found
  const again =
    isCached && ctx.memory.get('service.state') !== 'dead' ? named(name, await services(ctx, true)) : undefined
  if (again) return again
  throw failure(`Service not found: ${name}`)
}

export const plistOf = (service: Dict): Dict => service.get('plist') as Dict

export const isAgent = (service: Dict): boolean => str(service.get('file_path')!).includes('LaunchAgents')

/** Return the uid of the user at the console. */
async function consoleUid(ctx: FunctionContext): Promise<number> {
  const uid = (await ctx.host.stat('/dev/console'))?.uid
  if (uid === undefined) throw failure('Failed to get a UID for the console user.')
  return uid
}

export async function consoleUser(ctx: FunctionContext): Promise<string> {
  const uid = await consoleUid(ctx)
  return (await ctx.host.user(uid))?.name ?? String(uid)
}

/** Return the launchd domain of a service: the system, or the session of a user. */
export async function domainOf(ctx: FunctionContext, service: Dict): Promise<string> {
  return isAgent(service) ? `gui/${await consoleUid(ctx)}` : 'system'
}

export async function launchctl(ctx: FunctionContext, words: readonly string[], runas: string | null): Promise<string> {
  const { retcode, stdout, stderr } = await runAll(ctx, ['launchctl', ...words], {
    ...(runas && { runas }),
    ...(words[0] === 'bootout' && { success_retcodes: [36] }),
  })
  if (retcode === 0 && !stderr.toLowerCase().includes('service is disabled')) return stdout
  throw failure(`Failed to ${words[0]} service:\nstdout: ${stdout}\nstderr: ${stderr}\nretcode: ${retcode}`)
}
