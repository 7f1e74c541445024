import type { Actor, Scheduler } from './scheduler.ts';

/** How bad the network is, in percent of messages. */
export interface Weather {
  drop: number;
  double: number;
  /** Kept back for much longer than the next ones, so that they overtake it. */
  reorder: number;
}

export const fairWeather: Weather = { drop: 0, double: 0, reorder: 0 };

const maxDelayMs = 20;
const maxLateMs = 3_000;

/** Messages between the nodes of a simulated world: lost, doubled, overtaken, late. */
export class Network<Message> {
  weather: Weather = fairWeather;
  sent = 0;
  dropped = 0;
  doubled = 0;
  reordered = 0;

  constructor(private readonly scheduler: Scheduler) {}

  send(message: Message, to: Actor, deliver: (message: Message) => void): void {
    const { random } = this.scheduler;
    this.sent++;
    const copies = this.#happens(this.weather.double) ? 2 : 1;
    if (copies > 1) this.doubled++;
    for (let copy = 0; copy < copies; copy++) {
      if (this.#happens(this.weather.drop)) {
        this.dropped++;
        continue;
      }
      const isLate = this.#happens(this.weather.reorder);
      if (isLate) this.reordered++;
      const delay = random.below(isLate ? maxLateMs : maxDelayMs);
      this.scheduler.after(delay, () => deliver(message), to);
    }
  }

  #happens(percent: number): boolean {
    return percent > 0 && this.scheduler.random.below(100) < percent;
  }
}
