//! [`Gallery`]: what the server can show.

use prall_scenes::{BobOffer, Simulation, UnknownScene};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// A scene that can be opened.
#[derive(Serialize)]
pub struct Entry {
    /// The name in addresses.
    pub name: String,
    /// The name that people read.
    pub title: String,
    /// One line.
    pub line: String,
    /// The band that it belongs to.
    pub group: String,
    /// Where it comes from.
    pub source: String,
    /// How large it is.
    pub size: String,
    /// A paragraph that teaches the physics.
    pub about: String,
    /// Its card's picture, relative to the page.
    pub picture: String,
    /// Builds it.
    #[serde(skip)]
    pub build: Box<dyn Fn() -> Box<dyn Simulation> + Send + Sync>,
}

/// An entry and what is known of it by building it.
pub(crate) struct Item {
    entry: Entry,
    solvers: OnceLock<Value>,
}

impl Item {
    pub(crate) fn name(&self) -> &str {
        &self.entry.name
    }

    /// Builds the scene.
    pub(crate) fn build(&self) -> Box<dyn Simulation> {
        (self.entry.build)()
    }

    /// As the protocol has it. The first call builds the scene to know its solvers.
    pub(crate) fn to_json(&self) -> Value {
        let solvers = self.solvers.get_or_init(|| {
            let simulation = self.build();
            simulation.solvers().iter().map(|s| json!({"name": s.name, "title": s.title})).collect()
        });
        let mut value = serde_json::to_value(&self.entry).unwrap_or_default();
        value["solvers"] = solvers.clone();
        value
    }
}

/// Scenes by name, and what the bobsleigh offers.
pub struct Gallery {
    items: Vec<Arc<Item>>,
    bob: &'static BobOffer,
}

impl Default for Gallery {
    fn default() -> Gallery {
        Gallery { items: Vec::new(), bob: BobOffer::standard() }
    }
}

impl Gallery {
    /// Every scene of `prall scenes`.
    pub fn standard() -> Gallery {
        let entry = |scene: &'static prall_scenes::Scene| Entry {
            name: scene.name.to_owned(),
            title: scene.title.to_owned(),
            line: scene.line.to_owned(),
            group: scene.group.to_owned(),
            source: scene.source.to_owned(),
            size: scene.size.to_owned(),
            about: scene.about.to_owned(),
            picture: format!("pictures/{}.png", scene.name),
            build: Box::new(|| scene.build()),
        };
        prall_scenes::scenes().iter().map(entry).fold(Gallery::default(), Gallery::with)
    }

    /// Adds a scene.
    pub fn with(mut self, entry: Entry) -> Gallery {
        self.items.push(Arc::new(Item { entry, solvers: OnceLock::new() }));
        self
    }

    /// The same with other tracks and another sled in its bobsleigh.
    pub fn with_bob(mut self, bob: &'static BobOffer) -> Gallery {
        self.bob = bob;
        for item in &mut self.items {
            if let Some(item) = Arc::get_mut(item).filter(|item| item.entry.name == "bobsleigh") {
                item.entry.build = Box::new(move || prall_scenes::bobsleigh(bob));
            }
        }
        self
    }

    pub(super) fn bob(&self) -> &'static BobOffer {
        self.bob
    }

    /// All scenes as the protocol has them; builds those that were not built yet.
    pub(super) fn to_json(&self) -> Vec<Value> {
        self.items.iter().map(|item| item.to_json()).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Result<Arc<Item>, UnknownScene> {
        self.items.iter().find(|item| item.entry.name == name).cloned().ok_or_else(|| {
            match prall_scenes::scene(name) {
                Err(unknown) => unknown,
                Ok(_) => UnknownScene { name: name.to_owned(), nearest: None },
            }
        })
    }
}
