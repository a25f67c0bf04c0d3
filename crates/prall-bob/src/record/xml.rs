//! Runs as XML: setup, times, speeds, traces of the runners and the history of the state, the contents that the source's run files had.
//!
//! The source prints no schema; this one is described in docs/line-analysis.md.

use std::fmt::Write;

use glam::DVec3;
use prall_geometry::files::{MAX_XML_DEPTH, xml_too_deep};
use roxmltree::{Document, Node};

use super::file::{columns, numbers};
use super::{About, Held, Record, RecordError, Sample};
use crate::run::{Crash, CrashCause, Hit, HitSide, RunResult, Split};
use crate::track::Ground;

impl Record {
    /// The run as XML.
    pub fn write_xml(&self) -> String {
        let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<run version=\"1\">\n".to_owned();
        self.write_about(&mut xml);
        self.write_times(&mut xml);
        if let Ok(setup) = self.setup() {
            xml.push_str(" <traces unit=\"m\">\n");
            for (runner, pieces) in self.traces(&setup) {
                for piece in pieces {
                    let places: Vec<String> =
                        piece.iter().map(|DVec3 { x, y, z }| format!("{x:?} {y:?} {z:?}")).collect();
                    put(
                        &mut xml,
                        &format!("  <trace runner=\"{}\">{}</trace>", escaped(&runner), places.join(" ")),
                    );
                }
            }
            xml.push_str(" </traces>\n");
        }
        let names: Vec<String> =
            columns(&self.joints, &self.contacts).iter().map(|name| name.replace(' ', "·")).collect();
        put(&mut xml, &format!(" <states columns=\"{}\">", escaped(&names.join(" "))));
        for sample in &self.samples {
            let values: Vec<String> = sample.values().iter().map(|value| format!("{value:?}")).collect();
            put(&mut xml, &format!("  <state>{}</state>", values.join(" ")));
        }
        xml.push_str(" </states>\n</run>\n");
        xml
    }

    fn write_about(&self, xml: &mut String) {
        let About {
            track,
            profile,
            mesh,
            glide,
            start,
            pilot,
            steering,
            offset,
            tremor,
            seed,
            setup,
            help,
            hands,
        } = &self.about;
        let optional = |name: &str, file: &Option<String>| {
            file.as_ref().map_or(String::new(), |file| format!(" {name}=\"{}\"", escaped(file)))
        };
        let (mesh, steering) = (optional("mesh", mesh), optional("steering", steering));
        put(
            xml,
            &format!(
                " <about track=\"{}\" profile=\"{}\"{mesh} glide=\"{glide:?}\" start=\"{}\" pilot=\"{}\"{steering} offset=\"{offset:?}\" tremor=\"{tremor:?}\" seed=\"{seed:016x}\"/>",
                escaped(track),
                escaped(profile),
                escaped(start),
                escaped(pilot)
            ),
        );
        put(xml, &format!(" <setup>{}</setup>", escaped(setup)));
        if !hands.is_empty() {
            put(xml, &format!(" <hands help=\"{help:?}\">{}</hands>", Held::write_all(hands)));
        }
        for joint in &self.joints {
            put(xml, &format!(" <joint name=\"{}\"/>", escaped(joint)));
        }
        for contact in &self.contacts {
            put(xml, &format!(" <contact name=\"{}\"/>", escaped(contact)));
        }
    }

    fn write_times(&self, xml: &mut String) {
        let result = &self.result;
        let optional = |name: &str, value: Option<f64>| {
            value.map_or(String::new(), |value| format!(" {name}=\"{value:?}\""))
        };
        put(
            xml,
            &format!(
                " <times{}{} topSpeed=\"{:?}\" largestLoad=\"{:?}\" bumperHits=\"{}\" rest=\"{:?}\" simulated=\"{:?}\" steps=\"{}\" sweeps=\"{}\" unsettled=\"{}\" deepest=\"{:?}\" finite=\"{}\" hash=\"{:016x}\">",
                optional("clockZero", self.clock_zero),
                optional("run", result.time),
                result.top_speed,
                result.largest_load,
                result.bumper_hits,
                result.rest,
                result.simulated,
                result.steps,
                result.sweeps,
                result.unsettled,
                result.deepest,
                result.finite,
                result.hash
            ),
        );
        for Split { s, time, speed } in &result.splits {
            put(xml, &format!("  <split s=\"{s:?}\" time=\"{time:?}\" speed=\"{speed:?}\"/>"));
        }
        for Hit { s, time, side, bumper, ground, normal_speed, lost } in &result.hits {
            let side = SIDES.iter().find(|known| known.1 == *side).map_or("", |known| known.0);
            let ground = GROUNDS.iter().find(|known| known.1 == *ground).map_or("", |known| known.0);
            put(
                xml,
                &format!(
                    "  <hit s=\"{s:?}\" time=\"{time:?}\" side=\"{side}\" bumper=\"{}\" ground=\"{ground}\" normalSpeed=\"{normal_speed:?}\" lost=\"{lost:?}\"/>",
                    escaped(bumper)
                ),
            );
        }
        if let Some(Crash { s, time, cause }) = result.crash {
            let cause = CAUSES.iter().find(|known| known.1 == cause).map_or("", |known| known.0);
            put(xml, &format!("  <crash s=\"{s:?}\" time=\"{time:?}\" cause=\"{cause}\"/>"));
        }
        xml.push_str(" </times>\n");
    }

    /// Reads a run from XML; `file` is the name that errors give.
    pub fn read_xml(file: &str, text: &str) -> Result<Record, RecordError> {
        if let Some(at) = xml_too_deep(text) {
            let line = 1 + text[..at].matches('\n').count();
            return Err(RecordError::new(
                file,
                line,
                format!("elements are nested more than {MAX_XML_DEPTH} deep"),
            ));
        }
        let document = Document::parse(text)
            .map_err(|error| RecordError::new(file, error.pos().row as usize, error.to_string()))?;
        let reader = Reader { file, document: &document };
        let root = document.root_element();
        if !root.has_tag_name("run") {
            return Err(
                reader.error(root, format!("the root must be <run>, not <{}>", root.tag_name().name()))
            );
        }
        if reader.text(root, "version")? != "1" {
            return Err(reader.error(root, "this Prall reads version 1".to_owned()));
        }
        let names = |tag: &str| -> Result<Vec<String>, RecordError> {
            let nodes = root.children().filter(|node| node.has_tag_name(tag));
            nodes.map(|node| reader.text(node, "name").map(str::to_owned)).collect()
        };
        let (joints, contacts) = (names("joint")?, names("contact")?);
        let states = reader.child(root, "states")?;
        let columns = columns(&joints, &contacts);
        let mut samples = Vec::new();
        for state in states.children().filter(Node::is_element) {
            let values = numbers(&columns, state.text().unwrap_or_default(), ' ')
                .map_err(|what| reader.error(state, what))?;
            samples.push(Sample::of(&values, joints.len()));
        }
        let times = reader.child(root, "times")?;
        Ok(Record {
            about: reader.about(root)?,
            clock_zero: reader.optional(times, "clockZero")?,
            result: reader.result(times)?,
            joints,
            contacts,
            samples,
        })
    }
}

const CAUSES: [(&str, CrashCause); 3] = [
    ("rolledOver", CrashCause::RolledOver),
    ("onItsSide", CrashCause::OnItsSide),
    ("overTheEdge", CrashCause::OverTheEdge),
];

const SIDES: [(&str, HitSide); 2] = [("left", HitSide::Left), ("right", HitSide::Right)];

const GROUNDS: [(&str, Ground); 3] = [("ice", Ground::Ice), ("boards", Ground::Boards), ("net", Ground::Net)];

fn put(xml: &mut String, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(xml, "{line}");
}

/// Line ends of Windows too: XML's readers take a bare one for a newline.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\r', "&#13;")
}

struct Reader<'r, 'd> {
    file: &'r str,
    document: &'r Document<'d>,
}

impl<'r> Reader<'r, '_> {
    fn error(&self, node: Node<'_, '_>, what: String) -> RecordError {
        RecordError::new(self.file, self.document.text_pos_at(node.range().start).row as usize, what)
    }

    fn child(&self, node: Node<'r, 'r>, tag: &str) -> Result<Node<'r, 'r>, RecordError> {
        let found = node.children().find(|child| child.has_tag_name(tag));
        found.ok_or_else(|| self.error(node, format!("<{}> has no <{tag}>", node.tag_name().name())))
    }

    fn text(&self, node: Node<'r, 'r>, name: &str) -> Result<&'r str, RecordError> {
        let missing = || self.error(node, format!("<{}> needs {name}=\"...\"", node.tag_name().name()));
        node.attribute(name).ok_or_else(missing)
    }

    fn number<N: std::str::FromStr>(&self, node: Node<'r, 'r>, name: &str) -> Result<N, RecordError> {
        let text = self.text(node, name)?;
        text.parse().map_err(|_| self.error(node, format!("{name}=\"{text}\" is no such value")))
    }

    fn optional(&self, node: Node<'r, 'r>, name: &str) -> Result<Option<f64>, RecordError> {
        node.attribute(name).map(|_| self.number(node, name)).transpose()
    }

    fn hexadecimal(&self, node: Node<'r, 'r>, name: &str) -> Result<u64, RecordError> {
        let text = self.text(node, name)?;
        u64::from_str_radix(text, 16).map_err(|_| {
            self.error(node, format!("{name}=\"{text}\" must be up to sixteen hexadecimal digits"))
        })
    }

    fn one_of<T: Copy>(&self, node: Node<'r, 'r>, name: &str, known: &[(&str, T)]) -> Result<T, RecordError> {
        let text = self.text(node, name)?;
        known.iter().find(|known| known.0 == text).map(|known| known.1).ok_or_else(|| {
            let mut names: Vec<&str> = known.iter().map(|known| known.0).collect();
            let last = names.pop().unwrap_or_default();
            self.error(node, format!("{name} must be {} or {last}, not \"{text}\"", names.join(", ")))
        })
    }

    fn about(&self, root: Node<'r, 'r>) -> Result<About, RecordError> {
        let about = self.child(root, "about")?;
        let node = root.children().find(|node| node.has_tag_name("hands"));
        let held = node.map(|node| {
            let all = Held::read_all(node.text().unwrap_or_default());
            let all = all.map_err(|what| self.error(node, what))?;
            Ok((self.number(node, "help")?, all))
        });
        let (help, hands) = held.transpose()?.unwrap_or_default();
        super::hands::check(self.file, 1, &hands)?;
        Ok(About {
            help,
            hands,
            track: self.text(about, "track")?.to_owned(),
            profile: self.text(about, "profile")?.to_owned(),
            mesh: about.attribute("mesh").map(str::to_owned),
            glide: self.number(about, "glide")?,
            start: self.text(about, "start")?.to_owned(),
            pilot: self.text(about, "pilot")?.to_owned(),
            steering: about.attribute("steering").map(str::to_owned),
            offset: self.number(about, "offset")?,
            tremor: self.number(about, "tremor")?,
            seed: self.hexadecimal(about, "seed")?,
            setup: self.child(root, "setup")?.text().unwrap_or_default().to_owned(),
        })
    }

    fn result(&self, times: Node<'r, 'r>) -> Result<RunResult, RecordError> {
        let mut splits = Vec::new();
        for split in times.children().filter(|node| node.has_tag_name("split")) {
            splits.push(Split {
                s: self.number(split, "s")?,
                time: self.number(split, "time")?,
                speed: self.number(split, "speed")?,
            });
        }
        let crash = times.children().find(|node| node.has_tag_name("crash"));
        let crash = crash.map(|node| -> Result<Crash, RecordError> {
            let cause = self.one_of(node, "cause", &CAUSES)?;
            Ok(Crash { s: self.number(node, "s")?, time: self.number(node, "time")?, cause })
        });
        let mut hits = Vec::new();
        for hit in times.children().filter(|node| node.has_tag_name("hit")) {
            hits.push(Hit {
                s: self.number(hit, "s")?,
                time: self.number(hit, "time")?,
                side: self.one_of(hit, "side", &SIDES)?,
                bumper: self.text(hit, "bumper")?.to_owned(),
                ground: self.one_of(hit, "ground", &GROUNDS)?,
                normal_speed: self.number(hit, "normalSpeed")?,
                lost: self.number(hit, "lost")?,
            });
        }
        Ok(RunResult {
            splits,
            time: self.optional(times, "run")?,
            top_speed: self.number(times, "topSpeed")?,
            largest_load: self.number(times, "largestLoad")?,
            bumper_hits: self.number(times, "bumperHits")?,
            hits,
            crash: crash.transpose()?,
            rest: self.number(times, "rest")?,
            simulated: self.number(times, "simulated")?,
            steps: self.number(times, "steps")?,
            sweeps: self.number(times, "sweeps")?,
            unsettled: self.number(times, "unsettled")?,
            deepest: self.number(times, "deepest")?,
            finite: self.number(times, "finite")?,
            hash: self.hexadecimal(times, "hash")?,
        })
    }
}
