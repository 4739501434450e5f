// A NATS server of the site, as an operator runs one: no master starts it.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

export interface SiteServer {
  port: number
  process: ChildProcess
  close(): Promise<void>
}

/** Start a server that keeps its streams below a directory. `max_payload` is the 1 MB of every NATS server. */
export async function startSiteServer(program: string, root: string, given?: number): Promise<SiteServer> {
  const port = given ?? (await freePort())
  const file = join(root, 'nats.conf')
  const store = JSON.stringify(join(root, 'store'))
  writeFileSync(file, `host: 127.0.0.1\nport: ${port}\njetstream { store_dir: ${store} }\n`)
  const process = spawn(program, ['--config', file], { stdio: 'ignore' })
  await until('the server listens', () => isOpen(port))
  const close = async (): Promise<void> => {
    process.kill('SIGKILL')
    await until('the server has ended', () => process.exitCode !== null || process.signalCode !== null)
  }
  return { port, process, close }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
