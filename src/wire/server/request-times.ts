// When minions made their requests, by the second that stands inside the encryption. Somebody who recorded a request can send it
// again, and it opens like the first time; but it is not newer than the newest request of its minion.

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
