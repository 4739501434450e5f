// A shell on the target that waits for the next program. Opening a session takes two round trips; an open shell saves
// one of them, and its start. The ending program leaves the shell behind: a process of ssh whose streams are FIFOs in
// the private folder of connections. `sleep` holds their other ends, so that the shell ends with it unless a program
// takes the shell over before. That program is then the only writer: when it dies, the shell ends like any other.
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { constants, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path/posix'
import { makeOwnFolder, PRIVATE_FILE, PRIVATE_FOLDER } from '../../base/mod.ts'
import type { LoginMarks } from './become.ts'
import type { ShellProcess } from './channel.ts'

/** How long a shell waits for the next program, in seconds. */
const WAITING_TIME = 30

/** The data for the program that takes the shell over. */
export interface SpareNote {
  marks: LoginMarks
  /** Seconds by which the target's clock is ahead of this machine's: the shell prints only the time of its start. */
  clockOffset: number
}

/** Arguments: the folder while it is made, the folder, seconds, the command. */
const KEEPER = `
making=$1 folder=$2 time=$3; shift 3
cd "$making" && mkfifo in out err || { rm -rf "$making"; exit 1; }
exec 7<>err 8<>in 9<>out
exec 3<in 4>out 5>err
sleep "$time" 3<&- 4>&- 5>&- & echo $! > holder
"$@" <&3 >&4 2>&5 3<&- 4>&- 5>&- 7>&- 8>&- 9>&- & shell=$!
exec 3<&- 4>&- 5>&- 7>&- 8>&- 9>&-
mv "$making" "$folder"
wait "$shell"
kill "$(cat holder)" 2>/dev/null
rm -rf "$folder"
`

/** The folder of the shells of one kind: the same connection, user and surroundings. */
export function spareFolder(controlPath: string, kind: unknown): string {
  const name = createHash('sha256').update(JSON.stringify(kind)).digest('hex').slice(0, 16)
  return `${controlPath}.${name}`
}

const MAKING = '.new'
const TAKEN = '.taken'

const waiting = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !name.endsWith(MAKING) && !name.endsWith(TAKEN))

/** Leave a shell to the next program, unless one waits already. Nothing here is waited for. */
export function leaveShell(folder: string, argv: readonly string[], note: SpareNote): void {
  makeOwnFolder(folder, PRIVATE_FOLDER)
  if (waiting(folder).length > 0) return
  const path = join(folder, randomBytes(8).toString('hex'))
  mkdirSync(path + MAKING, { mode: PRIVATE_FOLDER })
  writeFileSync(join(path + MAKING, 'note'), JSON.stringify(note), { mode: PRIVATE_FILE })
  const words = ['-c', KEEPER, 'sh', path + MAKING, path, String(WAITING_TIME), ...argv]
  const keeper = spawn('/bin/sh', words, { detached: true, stdio: 'ignore' })
  // without a shell that waits, the next program starts one
  keeper.on('error', () => rmSync(path + MAKING, { recursive: true, force: true }))
  keeper.unref()
}

/** Take over a shell that waits. */
export function takeShell(folder: string): { process: ShellProcess; note: SpareNote } | undefined {
  try {
    const [name] = waiting(folder)
    if (name === undefined) return undefined
    const path = join(folder, name) + TAKEN
    // only one program succeeds
    renameSync(join(folder, name), path)
    const note = JSON.parse(readFileSync(join(path, 'note'), 'utf8')) as SpareNote
    const process = new SpareShell(path)
    rmSync(path, { recursive: true, force: true })
    return { process, note }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

class SpareShell extends EventEmitter implements ShellProcess {
  readonly stdin: Socket
  readonly stdout: Socket
  readonly stderr: Socket

  constructor(path: string) {
    super()
    const opened = (name: string, flags: number): number => openSync(join(path, name), flags | constants.O_NONBLOCK)
    const reading = (name: string): Socket => new Socket({ fd: opened(name, constants.O_RDONLY), writable: false })
    this.stdin = new Socket({ fd: opened('in', constants.O_WRONLY), readable: false })
    this.stdout = reading('out')
    this.stderr = reading('err')
    // the process that held the other ends: a child of the keeper, which lives as long as the shell does
    try {
      process.kill(Number(readFileSync(join(path, 'holder'), 'utf8')), 'SIGTERM')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    let open = 2
    for (const stream of [this.stdout, this.stderr]) {
      stream.on('error', () => {})
      stream.once('close', () => {
        if (--open === 0) this.emit('close', null)
      })
    }
    // the end of its output reports the end of the shell
    this.stdin.on('error', () => {})
  }

  /** The shell ends when its input has no writer. */
  kill(): boolean {
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy()
    return true
  }
}
