// The times of minions' requests, in seconds inside the encryption. An attacker can replay a recorded request, which
// decrypts like the first time; but it is not newer than the newest request of its minion.

export class RequestTimes {
  private readonly newest = new Map<string, number>()

  /** Whether the request of this minion is newer than all before. Minions that put no time into requests cannot be judged. */
  isNewest(id: string, time: number | undefined): boolean {
    if (time === undefined) return true
    if (time <= (this.newest.get(id) ?? Number.NEGATIVE_INFINITY)) return false
    this.newest.set(id, time)
    return true
  }
}
