/** The details of the selected sample of a counter. */
import type { CounterValue, SampleAnswer } from "../transport/protocol.ts";
import type { Viewer } from "../viewer.ts";
import { Fact, Head, Moment, TraceName } from "./details_panel.tsx";
import { nameOf } from "./format.ts";
import { t } from "../texts.ts";

/** Returns a difference with its sign. */
function changeText(change: CounterValue | null): string {
  if (change === null) return "";
  return change.value > 0 ? `+${change.text}` : change.text;
}

/** Returns the value of a sample of one series, or of each series with its name, for screen readers. */
export function sampleText({ name, series }: SampleAnswer): string {
  const values = series.map((one) => `${series.length > 1 ? `${nameOf(one.name)} ` : ""}${one.value?.text ?? "–"}`);
  return `${name}: ${values.join(", ")}`;
}

export function SampleDetails({ viewer, trace, sample }: { viewer: Viewer; trace: number; sample: SampleAnswer }) {
  const [first] = sample.series;
  const isOne = sample.series.length === 1;
  return (
    <article class="details" id="details">
      <Head viewer={viewer} name={sample.name} json={sample}>
        <p class="muted">{t("sample-details.sample-of-a-counter")}</p>
      </Head>
      <section>
        <dl class="facts-list">
          <Fact name={t("sample-details.value")}>{isOne && (first?.value?.text ?? "–")}</Fact>
          <Fact name={t("sample-details.change")}>{isOne && changeText(first?.change ?? null)}</Fact>
          <Fact name={t("common.time")}>
            <Moment viewer={viewer} trace={trace} time={sample.time} />
          </Fact>
          <Fact name={t("sample-details.holds")}>{viewer.view.lengthText(trace, sample.holds.ticks)}</Fact>
          <Fact name={t("common.process")}>{sample.process?.title}</Fact>
          <TraceName viewer={viewer} trace={trace} />
        </dl>
      </section>
      {!isOne && (
        <section>
          <table class="sample-series">
            <thead>
              <tr>
                <th>{t("sample-details.series")}</th>
                <th class="number">{t("sample-details.value")}</th>
                <th class="number">{t("sample-details.change")}</th>
              </tr>
            </thead>
            <tbody>
              {sample.series.map(({ name, value, change }, i) => (
                <tr key={i}>
                  <td>{nameOf(name)}</td>
                  <td class="number">{value?.text ?? "–"}</td>
                  <td class="number">{changeText(change)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </article>
  );
}
