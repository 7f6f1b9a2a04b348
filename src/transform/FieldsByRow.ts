// Fields that a reader remembers of single records.

/** Sets of fields by row; most rows have none. */
export class FieldsByRow {
  private readonly rows = new Map<number, Set<string>>()

  add(row: number, field: string): void {
    const fields = this.rows.get(row)
    if (fields === undefined) this.rows.set(row, new Set([field]))
    else fields.add(field)
  }

  get(row: number): ReadonlySet<string> | undefined {
    return this.rows.get(row)
  }

  get isEmpty(): boolean {
    return this.rows.size === 0
  }
}
