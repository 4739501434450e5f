// `npm run lab [-- test [file …] | root | boot <name> … | compare --trees DIR | clean]`: the lab's tests,
// what they stand on made ahead, hosts to look around in, a comparison with real Salt, and the removal of all it keeps.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CACHE, removeTree } from './cache.ts'
import { compare } from './compare/main.ts'
import { Lab, removeLeftovers } from './lab.ts'
import { reasonToSkip } from './readiness.ts'
import { STOCK } from './stock.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)

function test(files: string[]): number {
  const vitest = join(import.meta.dirname, '..', 'node_modules', '.bin', 'vitest')
  const args = ['run', '--config', join(import.meta.dirname, 'vitest.config.ts'), ...files]
  const env = { ...process.env, ...(files.length > 0 && { BRINE_LAB_LONG: '1' }) }
  return spawnSync(vitest, args, { stdio: 'inherit', env }).status ?? 1
}

async function boot(names: string[]): Promise<number> {
  const lab = await Lab.open({ stock: STOCK })
  try {
    for (const host of await lab.boot(...(names.length > 0 ? names : ['web01']))) {
      say(`${host.name} at ${host.address}: ${host.enterCommand(['bash', '-l']).join(' ')}`)
    }
    say('Ctrl-C ends them')
    await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  } finally {
    await lab.close()
  }
  return 0
}

async function clean(): Promise<number> {
  await removeLeftovers()
  await removeTree(CACHE)
  return 0
}

const COMMANDS: Record<string, (args: string[]) => number | Promise<number>> = {
  test,
  boot,
  clean,
  compare,
  root: () => 0,
}

async function main([name = 'test', ...args]: string[]): Promise<number> {
  const command = COMMANDS[name]
  if (command === undefined) {
    process.stderr.write(`Name one of: ${Object.keys(COMMANDS).join(', ')}\n`)
    return 2
  }
  if (name === 'clean') return command(args)
  const reason = await reasonToSkip()
  if (reason === undefined) return command(args)
  say(`Skipped: ${reason}`)
  // tests may be skipped; hosts to look around in and a comparison were asked for
  return name === 'boot' || name === 'compare' ? 1 : 0
}

process.exitCode = await main(process.argv.slice(2))
