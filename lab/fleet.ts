// A master and its minions on hosts of a lab, as services of systemd that run our programs.
import { join } from 'node:path'
import type { Host } from './host.ts'
import { MOUNTS } from './root.ts'

const PROJECT = join(import.meta.dirname, '..')

/** What daemons load besides the programs: packages with native parts. */
export const DAEMON_MOUNTS: Record<string, string> = {
  [join(PROJECT, 'node_modules')]: join(MOUNTS.program, '..', 'node_modules'),
}

const PROGRAMS = ['salt', 'salt-run', 'salt-key', 'salt-master', 'salt-minion']

/** Writes the configuration of a daemon and starts it. */
export async function startDaemon(host: Host, kind: 'master' | 'minion', options: object, name = `salt-${kind}`) {
  const links = PROGRAMS.map((program) => `${MOUNTS.program}/dist/${program}.js /usr/local/bin/${program}`)
  await host.run(['sh', '-ec', links.map((link) => `ln -sf ${link}`).join('\n')])
  const folder = name === `salt-${kind}` ? '/etc/salt' : `/etc/${name}`
  host.write(`${folder}/${kind}`, JSON.stringify(options))
  const unit = `[Service]\nExecStart=/usr/local/bin/salt-${kind} -c ${folder} -l warning\nKillMode=process\n`
  host.write(`/etc/systemd/system/${name}.service`, unit)
  await host.run(['systemctl', 'daemon-reload'])
  await host.run(['systemctl', 'start', name])
}

/** Runs one of our programs and gives what it says as JSON. */
export async function ask(host: Host, ...argv: string[]): Promise<unknown> {
  const { stdout, stderr } = await host.attempt([...argv, '--out=json'])
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`${host.name}: ${argv.join(' ')} gave no JSON: ${stdout}${stderr}`)
  }
}
