// Loads the parts of a built program. Parts that commands load together are functions of one file, a pack (tools/build/packs.ts).
// Beside a part or a pack may lie V8's compiled form of it (`*.code`), made by the build with the same Node: then nothing has to be
// parsed, which is a third of a short command's time. A form that another Node made is refused by V8, and the text is compiled as usual.
'use strict'
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs')
const { basename, join } = require('node:path')
const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8')
const { runInNewContext, Script } = require('node:vm')

// V8's defaults suit programs that last. A command that ends within a second is faster when V8 optimizes hot functions about
// twenty times later than usual, collects new objects on one thread, and does not mark old objects ahead of need. Compiled forms are
// valid for one set of flags only, so the growth of the space for new objects, which daemons change, is named too.
// V8 12 (Node 22) counts calls where V8 11 counted bytes of code. A V8 that is newer than those tried keeps its defaults.
const V8 = Number.parseInt(process.versions.v8, 10)
const TRIED = 14
const tierUp = (budget, calls) => (V8 < 12 ? `--interrupt-budget=${budget}` : `--invocation-count-for-turbofan=${calls}`)
const SHORT = [
  tierUp(1_500_000, 60_000),
  '--semi-space-growth-factor=2',
  '--no-parallel-scavenge',
  '--no-incremental-marking',
  '--heap-growing-percent=0',
]
const LASTING = [tierUp(67_584, 3000), '--parallel-scavenge', '--incremental-marking']

// How much the heap of a daemon may grow, in percent of what is in use, before V8 collects it. A master through which thousands of
// returns pass would spend half its time collecting with a small margin; a master with little to do would hold garbage for half an
// hour with a large one.
const BUSY = '--heap-growing-percent=200'
const CALM = '--heap-growing-percent=25'
/** Milliseconds between two collections of the whole heap that make a daemon busy. */
const SOON = 5000
let margin = BUSY

// V8 lets the space for new objects grow to 32 MB and shrinks it again, by the rate of allocations. Near that rate, the memory of a
// daemon would go up and down by 32 MB, and more: buffers wait for as long as the objects that hold them. So the space of a daemon
// that is not busy grows up to 8 MB.
const GROWS = '--semi-space-growth-factor=2'
const STAYS = '--semi-space-growth-factor=1'
const YOUNG = 8 << 20
let growth = GROWS

/** Return the flags of a program that lasts. */
const lasting = () => [...LASTING, margin, growth]

function set(flags) {
  if (V8 > TRIED) return
  for (const flag of flags) setFlagsFromString(flag)
}

/**
 * Milliseconds without a collection of the whole heap after which a small heap is collected: V8 would let the garbage of the start,
 * and that of hours with little to do, stay, with the buffers that it holds. A small heap takes some ten milliseconds.
 */
const OVERDUE = 60_000
const SMALL_HEAP = 200 << 20
/** Bytes that must have come since the last collection for another one: a daemon with nothing to do is left in peace. */
const LITTLE = 4 << 20

/**
 * The share of a core below which a daemon is quiet. In its first quiet interval, the compiled forms of all functions are dropped:
 * most belong to the start. Functions that are called again are compiled again. The heap is made compact at the same time.
 */
const QUIET = 0.05
/** CPU milliseconds of a daemon whose fast code is worth its memory. */
const WARM_MS = 2000
const TRIMS = ['stress-flush-code', 'compact-on-every-full-gc']

/** Return V8's function that collects the heap. Compiled forms are valid for the flags as they were. */
function collector() {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc')
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** Return the bytes of the heap and of what it holds outside. */
function inUse() {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const once = (make) => {
  let made
  return () => (made ??= make())
}

/** Return a function that tells whether the daemon was quiet since the last call, or since its start, and never busy before. */
function quietness(performance) {
  let before = { at: 0, cpu: 0 }
  return () => {
    const { user, system } = process.cpuUsage()
    const now = { at: performance.now(), cpu: (user + system) / 1000 }
    const share = (now.cpu - before.cpu) / (now.at - before.at)
    before = now
    return share < QUIET && now.cpu < WARM_MS
  }
}

/** Return the bytes of the space for new objects. */
const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size

/**
 * Choose how the heap grows: its margin after each collection of all of it, by the time since the one before, and the growth of the
 * space for new objects after each collection.
 */
function adaptHeap() {
  if (V8 > TRIED) return
  const { constants, performance, PerformanceObserver } = require('node:perf_hooks')
  let last = performance.now()
  let left = 0
  const observer = new PerformanceObserver((list) => {
    for (const { detail, startTime } of list.getEntries()) {
      if (detail.kind !== constants.NODE_PERFORMANCE_GC_MAJOR) continue
      margin = startTime - last < SOON ? BUSY : CALM
      last = startTime
      left = inUse()
    }
    growth = margin === BUSY || youngBytes() < YOUNG ? GROWS : STAYS
    set([margin, growth])
  })
  observer.observe({ entryTypes: ['gc'] })
  const collect = once(collector)
  const isQuiet = quietness(performance)
  let isTrimmed = false
  const look = () => {
    const used = inUse()
    if (isQuiet() && !isTrimmed && used <= SMALL_HEAP) {
      isTrimmed = true
      set(TRIMS.map((flag) => `--${flag}`))
      collect()()
      set(TRIMS.map((flag) => `--no-${flag}`))
    }
    if (performance.now() - last < OVERDUE || used > SMALL_HEAP || used - left < LITTLE) return
    collect()({ type: 'major', execution: 'async' })
  }
  setInterval(look, OVERDUE / 4).unref()
}

// The build runs Node with other flags, for compiled forms that are the same in every build (tools/build/compile-ahead.ts). A form names
// the flags at the moment when it is written.
const USUAL = ['--hash-seed=0', '--flush-bytecode', '--sparkplug']

/** For the build: compiled forms that are missing are written when the program ends, with the functions that it used. */
const isRecording = process.env.BRINE_RECORD_CODE === '1'

/** For the build: a file to which the names of the loaded parts are added, as a line of JSON, when the program ends. */
const NAMES = process.env.BRINE_RECORD_PARTS

/** Reads a part; a one-file program has its parts inside of itself. */
let read = readFileSync

/** The folder of the parts. */
let home = __dirname

const parts = new Map()
const scripts = []
let isLasting = false

/** Return the content of a file that may be missing. */
function readIfThere(file, encoding) {
  try {
    return read(file, encoding)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

const codeOf = (file) => (isRecording ? undefined : readIfThere(`${file}.code`))

/** The pack of each part that is in one, and the parts of the packs that are loaded. */
let packs = {}
const unpacked = new Map()

/**
 * Where a part of the version before lies after an upgrade: a package keeps the replaced programs in a folder `before`, for a daemon
 * that still runs them and loads a part late.
 */
const kept = (file) => join(__dirname, '..', '..', 'before', 'parts', basename(file))

function placed(file) {
  return existsSync(file) || !existsSync(kept(file)) ? file : kept(file)
}

/**
 * The name of a part inside its compiled form. V8 12 and newer show the name under which the form is loaded, so the folder of the build,
 * which may have a random name, is left out. The name is a copy: V8 would write down the whole path with a slice of it.
 */
const recordedName = (file) => (V8 < 12 ? file : Buffer.from(basename(file)).toString())

/** Run the text of a file, which is one expression, and return its value. */
function valueOf(name, wrap = (text) => text) {
  const file = placed(name)
  const text = wrap(read(file, 'utf8'))
  if (isLasting) set(SHORT)
  const script = new Script(text, { filename: isRecording ? recordedName(file) : file, cachedData: codeOf(file) })
  if (isLasting) set(lasting())
  if (isRecording) scripts.push({ file, script })
  return script.runInThisContext()
}

/** Return the function of a part. */
function compiled(name) {
  const pack = packs[name]
  if (pack === undefined) return valueOf(join(home, name), (text) => `(function(exports,require,module){${text}\n})`)
  let functions = unpacked.get(pack)
  if (functions === undefined) unpacked.set(pack, (functions = valueOf(join(home, pack))))
  return functions[name]
}

/** Parts of Node that take milliseconds to load, of which a short command needs one or two, if any. */
const HEAVY = new Set(
  [
    'child_process',
    'crypto',
    'dns/promises',
    'fs/promises',
    'http',
    'http2',
    'https',
    'net',
    'tls',
    'worker_threads',
    'zlib',
  ].map((name) => `node:${name}`),
)

/** A part of Node; in a short command a heavy one stands for itself until something in it is used. */
function builtin(name) {
  if (isLasting || !HEAVY.has(name)) return require(name)
  let loaded
  const real = () => (loaded ??= require(name))
  return new Proxy(
    {},
    {
      get: (_, key) => real()[key],
      set: (_, key, value) => Reflect.set(real(), key, value),
      has: (_, key) => key in real(),
      ownKeys: () => Reflect.ownKeys(real()),
      // one that cannot be configured would have to be there in what stands for it, too
      getOwnPropertyDescriptor: (_, key) => {
        const descriptor = Reflect.getOwnPropertyDescriptor(real(), key)
        return descriptor && { ...descriptor, configurable: true }
      },
    },
  )
}

/** All parts lie in one folder: what begins with `./` is the name of a part. */
const load = (name) => (name.startsWith('./') ? part(name.slice(2)) : builtin(name))

function part(name) {
  const known = parts.get(name)
  if (known) return known.exports
  const module = { exports: {} }
  parts.set(name, module)
  compiled(name)(module.exports, load, module)
  module.live = module.exports
  module.exports = plain(module.live)
  return module.exports
}

/** Values where the build has functions that give them, which would be called with every use. */
const plain = (live) => Object.defineProperty({ ...live }, '__esModule', { value: true })

/** What a part gives to others is fixed once it has run; the build refuses what it sees change later. */
function refuseChanges() {
  for (const [part, { live, exports: given }] of parts) {
    const changed = Object.keys(live ?? {}).filter((name) => live[name] !== given[name])
    if (changed.length > 0) throw new Error(`${part}: ${changed.join(', ')}: exported, and changed later`)
  }
}

/** Starts a program; one that lasts, as daemons do, is optimised as usual. */
exports.start = (name, { lasts = false, folder = __dirname, read: reader = readFileSync } = {}) => {
  read = reader
  home = folder
  set(lasts ? lasting() : SHORT)
  isLasting = lasts
  if (lasts) adaptHeap()
  packs = JSON.parse(readIfThere(join(folder, 'packs.json'), 'utf8') ?? '{}')
  if (NAMES) {
    process.on('exit', () => {
      refuseChanges()
      appendFileSync(NAMES, `${JSON.stringify([...parts.keys()])}\n`)
    })
  }
  if (isRecording) {
    process.on('exit', () => {
      set(USUAL)
      const missing = scripts.filter(({ file }) => !existsSync(`${file}.code`))
      for (const { file, script } of missing) writeFileSync(`${file}.code`, script.createCachedData())
    })
  }
  part(`${name}.js`)
}
