// Daemons of the site as processes of their own, which outlive the command that started them. A file beside their
// configuration keeps the process id, and a process counts only when it was started with that configuration.
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { configOf, logOf, MASTER, MINIONS, programsOf, type Site } from './site.ts'

/** All daemons, in the order in which they start. */
export const DAEMONS: readonly string[] = [MASTER, ...MINIONS]

const STOP_SECONDS = 10

const pidFile = (site: Site, name: string): string => join(configOf(site, name), 'pid')

function commandLine(pid: number): string {
  if (existsSync('/proc/self/cmdline')) {
    const file = `/proc/${pid}/cmdline`
    return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('\0', ' ') : ''
  }
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? ''
}

/** The process id of a daemon that runs. */
export function running(site: Site, name: string): number | undefined {
  if (!existsSync(pidFile(site, name))) return undefined
  const pid = Number(readFileSync(pidFile(site, name), 'utf8'))
  return commandLine(pid).includes(` ${configOf(site, name)} `) ? pid : undefined
}

export function start(site: Site, name: string): void {
  const program = join(programsOf(site), name === MASTER ? 'salt-master.js' : 'salt-minion.js')
  const log = openSync(logOf(site, name), 'a')
  const words = [program, '-c', configOf(site, name), '-l', 'warning']
  const child = spawn(site.node, words, { stdio: ['ignore', log, log], detached: true, cwd: site.folder })
  closeSync(log)
  writeFileSync(pidFile(site, name), String(child.pid))
  child.unref()
}

/** Whether it ran. */
async function stop(site: Site, name: string): Promise<boolean> {
  const pid = running(site, name)
  if (pid !== undefined) {
    process.kill(pid, 'SIGTERM')
    const end = performance.now() + STOP_SECONDS * 1000
    while (running(site, name) !== undefined) {
      if (performance.now() > end) process.kill(pid, 'SIGKILL')
      await sleep(50)
    }
  }
  rmSync(pidFile(site, name), { force: true })
  return pid !== undefined
}

/** Stops all of them, the master last. Gives the names of those that ran. */
export async function stopAll(site: Site): Promise<string[]> {
  const minions = DAEMONS.filter((name) => name !== MASTER)
  const stopped = await Promise.all(minions.map((name) => stop(site, name)))
  const ran = minions.filter((_, index) => stopped[index])
  return (await stop(site, MASTER)) ? [MASTER, ...ran] : ran
}

/** Throw if another program listens on the master's ports. */
export async function assertFreePorts({ publishPort, returnPort, apiPort }: Site): Promise<void> {
  for (const port of [publishPort, returnPort, apiPort]) {
    if (await isFree(port)) continue
    const other = publishPort + 10_000 > 65_000 ? publishPort - 10_000 : publishPort + 10_000
    throw new Error(
      `Port ${port} of 127.0.0.1 is taken; \`npm run up -- --port=${other}\` takes ${other} to ${other + 2}`,
    )
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? done(false) : fail(error)))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}
