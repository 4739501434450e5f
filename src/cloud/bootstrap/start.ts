// Starts the minion or the master: as a systemd service that also starts at boot, or as a daemon without systemd.
import { BrineError } from '../../base/mod.ts'
import type { SshHost } from '../../host/mod.ts'
import { mustRun } from './commands.ts'

export interface StartRequest {
  program: 'salt-minion' | 'salt-master'
  isSystemd: boolean
  /** Whether a running one must be restarted to read new files. */
  isChanged: boolean
  signal: AbortSignal
}

/** Return a warning for the user, if there is one. */
export async function startDaemon(
  machine: SshHost,
  { program, isSystemd, isChanged, signal }: StartRequest,
): Promise<string | undefined> {
  if (!isSystemd) return startAlone(machine, program, isChanged, signal)
  await mustRun(machine, ['systemctl', 'daemon-reload'], { signal })
  await mustRun(machine, ['systemctl', 'enable', program], { signal })
  await mustRun(machine, ['systemctl', isChanged ? 'restart' : 'start', program], { signal })
  return undefined
}

async function startAlone(
  machine: SshHost,
  name: StartRequest['program'],
  isChanged: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const pid = await runningPid(machine, `/var/run/${name}.pid`)
  if (pid !== undefined) {
    if (!isChanged) return undefined
    await mustRun(machine, ['kill', pid], { signal })
    await mustRun(
      machine,
      [
        'sh',
        '-c',
        'for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" 2>/dev/null || exit 0; sleep 1; done; exit 1',
        'sh',
        pid,
      ],
      { signal },
    )
  }
  const program = await machine.which(name)
  if (program === undefined) throw new BrineError('NoProgram', `The package brought no program ${name}`)
  await mustRun(machine, [program, '-d'], { signal, timeout: 60 })
  return 'started without systemd: not at boot'
}

/** Return the process id of a daemon from its pid file. */
async function runningPid(machine: SshHost, file: string): Promise<string | undefined> {
  if ((await machine.stat(file)) === undefined) return undefined
  const pid = new TextDecoder().decode(await machine.read(file)).trim()
  return /^\d+$/.test(pid) && (await machine.stat(`/proc/${pid}`)) !== undefined ? pid : undefined
}
