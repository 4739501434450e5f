// Reproduces the order in which CPython iterates a set: that of its hash table with open addressing. A collision probes
// the next nine places and then jumps. The table's size and the dummies of removed keys affect the order too, so they
// are simulated exactly.
import type { Value } from './value.ts'

const LINEAR_PROBES = 9
const SMALLEST = 8

interface Entry {
  hash: bigint
  key: Value
}

const DUMMY = Symbol('dummy')
type Place = Entry | typeof DUMMY | undefined

export class SetTable {
  private places: Place[] = new Array(SMALLEST).fill(undefined)
  /** Places in use, dummies included. */
  private fill = 0
  private used = 0
  /** Start position of the next pop. */
  private finger = 0

  get size(): number {
    return this.used
  }

  *keys(): Generator<Value> {
    for (const place of this.places) if (isEntry(place)) yield place.key
  }

  private *entries(): Generator<Entry> {
    for (const place of this.places) if (isEntry(place)) yield place
  }

  /** Add a key that is not in the table. */
  add(key: Value, hash: bigint): void {
    this.used++
    const at = freePlace(this.places, hash)
    const reused = this.places[at] === DUMMY
    this.places[at] = { hash, key }
    if (reused) return
    this.fill++
    const mask = this.places.length - 1
    if (this.fill * 5 >= mask * 3) this.resize(this.used > 50000 ? this.used * 2 : this.used * 4)
  }

  /** Remove a key that is in the table. */
  remove(key: Value, hash: bigint): void {
    for (const at of probes(this.places.length, hash)) {
      const place = this.places[at]
      if (isEntry(place) && place.key === key) {
        this.places[at] = DUMMY
        this.used--
        return
      }
    }
  }

  /** Takes the key that `set.pop()` takes. */
  pop(): Value {
    let at = this.finger & (this.places.length - 1)
    let place = this.places[at]
    while (!isEntry(place)) {
      at = at + 1 >= this.places.length ? 0 : at + 1
      place = this.places[at]
    }
    this.places[at] = DUMMY
    this.used--
    this.finger = at + 1
    return place.key
  }

  /** Remove dummies if there are many, as CPython does after a difference. */
  sweep(): void {
    if (this.fill - this.used > (this.places.length - 1) >> 2) {
      this.resize(this.used > 50000 ? this.used * 2 : this.used * 4)
    }
  }

  /** Makes room for that many more keys in one step, as CPython does before it takes over a dict or a set. */
  reserve(count: number): void {
    if ((this.fill + count) * 5 >= (this.places.length - 1) * 3) this.resize((this.used + count) * 2)
  }

  /** Take over the keys of another table. `isNew` returns whether this table lacks a key. */
  merge(other: SetTable, isNew: (key: Value) => boolean): void {
    if (other.used === 0) return
    this.reserve(other.used)
    if (this.fill > 0) {
      for (const { key, hash } of other.entries()) if (isNew(key)) this.add(key, hash)
      return
    }
    if (this.places.length === other.places.length && other.fill === other.used) this.places = other.places.slice()
    else for (const entry of other.entries()) this.places[freePlace(this.places, entry.hash)] = entry
    this.fill = other.used
    this.used = other.used
  }

  private resize(atLeast: number): void {
    let size = SMALLEST
    while (size <= atLeast) size *= 2
    const before = [...this.entries()]
    this.places = new Array(size).fill(undefined)
    for (const entry of before) this.places[freePlace(this.places, entry.hash)] = entry
    this.fill = this.used
  }
}

const isEntry = (place: Place): place is Entry => typeof place === 'object'

/** The places a hash looks at, without end: a stretch of neighbours, then a jump. */
function* probes(size: number, hash: bigint): Generator<number> {
  const mask = size - 1
  let perturb = BigInt.asUintN(64, hash)
  let i = Number(perturb & BigInt(mask))
  for (;;) {
    const last = i + LINEAR_PROBES <= mask ? i + LINEAR_PROBES : i
    for (let at = i; at <= last; at++) yield at
    perturb >>= 5n
    i = Number((BigInt(i) * 5n + 1n + perturb) & BigInt(mask))
  }
}

/** Return the position of a new hash: the first empty place on its probe path, or the last dummy before it. */
function freePlace(places: Place[], hash: bigint): number {
  let dummy = -1
  for (const at of probes(places.length, hash)) {
    if (places[at] === undefined) return dummy < 0 ? at : dummy
    if (places[at] === DUMMY) dummy = at
  }
  return dummy
}
